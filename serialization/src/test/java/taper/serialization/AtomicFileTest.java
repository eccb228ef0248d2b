package taper.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
  @TempDir Path folder;

  @Test
  void replacesTheOldContent() throws IOException {
    Path file = Files.writeString(folder.resolve("weights"), "old");

    AtomicFile.write(file, channel -> channel.write(ByteBuffer.wrap(new byte[] {'n', 'e', 'w'})));

    assertThat(file).hasContent("new");
    assertThat(folder).isDirectoryContaining(path -> path.equals(file));
    assertThat(folder.toFile().list()).hasSize(1);
  }

  @Test
  void aFailureHalfwayLeavesTheOldFileAndNoOther() throws IOException {
    Path file = Files.writeString(folder.resolve("weights"), "old");

    assertThatThrownBy(() ->
            AtomicFile.write(
                file,
                channel -> {
                  channel.write(ByteBuffer.wrap(new byte[100]));
                  throw new IOException("No space left on device");
                }))
        .hasMessage("No space left on device");

    assertThat(file).hasContent("old");
    assertThat(folder.toFile().list()).containsExactly("weights");
  }

  @Test
  void theModeOfTheOldFileStays() throws IOException {
    Path file = Files.writeString(folder.resolve("weights"), "old");
    Files.setAttribute(file, "unix:mode", 0102640);

    AtomicFile.write(file, channel -> channel.write(ByteBuffer.wrap(new byte[] {'n'})));

    assertThat(file).hasContent("n");
    assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0102640);
  }

  @Test
  void aDeviceIsWrittenToAndStaysADevice() throws IOException {
    Path device = Path.of("/dev/null");
    Path link = Files.createSymbolicLink(folder.resolve("nothing"), device);

    AtomicFile.write(device, channel -> channel.write(ByteBuffer.wrap(new byte[] {'n'})));
    AtomicFile.write(link, channel -> channel.write(ByteBuffer.wrap(new byte[] {'n'})));

    assertThat(Files.readAttributes(device, BasicFileAttributes.class).isOther()).isTrue();
    assertThat(link).isSymbolicLink();
  }

  @Test
  void aPipeIsWrittenToAndStaysAPipe() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    var read = new FutureTask<>(() -> Files.readAllBytes(pipe));
    Thread.ofPlatform().daemon().start(read);

    AtomicFile.write(pipe, channel -> channel.write(ByteBuffer.wrap(new byte[] {'n', 'e', 'w'})));

    assertThat(read.get()).containsExactly('n', 'e', 'w');
    assertThat(Files.readAttributes(pipe, BasicFileAttributes.class).isOther()).isTrue();
  }

  @Test
  void aFolderIsNotReplaced() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("weights"));

    assertThatThrownBy(() -> AtomicFile.write(inner, channel -> {})).hasMessage("it is a folder");

    assertThat(folder.toFile().list()).containsExactly("weights");
  }

  @Test
  void aLinkToAFileThatIsNotThereYetMakesIt() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("latest"), Path.of("weights"));

    AtomicFile.write(link, channel -> channel.write(ByteBuffer.wrap(new byte[] {'n'})));

    assertThat(link).isSymbolicLink();
    assertThat(folder.resolve("weights")).hasContent("n");
  }

  @Test
  void aFileReachedThroughALinkIsReplacedAndTheLinkStays() throws IOException {
    Path file = Files.writeString(folder.resolve("weights"), "old");
    Path link = Files.createSymbolicLink(folder.resolve("latest"), file);

    AtomicFile.write(link, channel -> channel.write(ByteBuffer.wrap(new byte[] {'n'})));

    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent("n");
  }
}
