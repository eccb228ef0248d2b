package taper.serialization;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/// Replaces a file so that a reader sees the old one or the new one, never a part.
///
/// The content goes to a temporary file in the same folder, is forced to the disk, and takes the
/// file's place by a rename. A full disk, an exception or a killed process leaves the old file as it
/// was; only a killed process leaves the temporary one behind.
final class AtomicFile {
  private AtomicFile() {}

  /// Writes the content of a file to an open channel.
  @FunctionalInterface
  interface Content {
    void writeTo(FileChannel channel) throws IOException;
  }

  static void write(Path path, Content content) throws IOException {
    // Through a link, the file it names is replaced, not the link.
    Path target = Files.isSymbolicLink(path) ? path.toRealPath() : path.toAbsolutePath();
    Path temporary =
        target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
    try {
      try (var channel =
          FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        content.writeTo(channel);
        channel.force(true);
      }
      try {
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      } catch (AtomicMoveNotSupportedException _) {
        Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      Files.deleteIfExists(temporary);
    }
    forceFolder(target.resolveSibling(""));
  }

  // The rename itself survives a power cut only once the folder is on the disk. Not every system
  // lets a folder be opened; there the file is whole all the same.
  private static void forceFolder(Path folder) {
    try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException _) {
      return;
    }
  }
}
