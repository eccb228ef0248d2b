package taper.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void aFileReachedThroughALinkIsReplacedAndTheLinkStays() throws IOException {
    Path file = Files.writeString(folder.resolve("weights"), "old");
    Path link = Files.createSymbolicLink(folder.resolve("latest"), file);

    AtomicFile.write(link, channel -> channel.write(ByteBuffer.wrap(new byte[] {'n'})));

    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent("n");
  }
}
