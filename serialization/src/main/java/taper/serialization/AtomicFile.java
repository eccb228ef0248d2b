package taper.serialization;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;

/// Replaces a file so that a reader sees the old one or the new one, never a part.
///
/// The content goes to a temporary file in the same folder, is forced to the disk, and takes the
/// file's place by a rename, with its mode and, where the system allows it, its owner. A full disk, an exception or a
/// killed process leaves the old file as it was; only a killed process leaves the temporary one behind. A device or a
/// pipe is not replaced, but written to.
final class AtomicFile {
  private AtomicFile() {}

  /// Writes the content of a file to an open channel.
  @FunctionalInterface
  interface Content {
    void writeTo(FileChannel channel) throws IOException;
  }

  static void write(Path path, Content content) throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path)) {
      try (var channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
        content.writeTo(channel);
      }
      return;
    }
    Path target = target(path);
    if (Files.isDirectory(target)) {
      throw new IOException("it is a folder");
    }
    Path temporary =
        target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
    try {
      try (var channel =
          FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        content.writeTo(channel);
        channel.force(true);
      }
      if (Files.exists(target)) {
        keepAttributes(target, temporary);
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

  /// Through a link, the file it names is replaced, not the link.
  private static Path target(Path path) throws IOException {
    if (!Files.isSymbolicLink(path)) {
      return path.toAbsolutePath();
    }
    return Files.exists(path)
        ? path.toRealPath()
        : path.toAbsolutePath()
            .resolveSibling(Files.readSymbolicLink(path)); // it names no file yet
  }

  // The owner comes first, since a change of it takes special modes away.
  private static void keepAttributes(Path from, Path to) throws IOException {
    if (!from.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return;
    }
    for (String attribute : List.of("unix:gid", "unix:uid", "unix:mode")) {
      Object value = Files.getAttribute(from, attribute);
      if (value.equals(Files.getAttribute(to, attribute))) {
        continue;
      }
      try {
        Files.setAttribute(to, attribute, value);
      } catch (FileSystemException e) {
        if (attribute.equals("unix:mode")) {
          throw e;
        } // only the system's administrator gives files away
      }
    }
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
