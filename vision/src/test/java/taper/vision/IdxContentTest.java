package taper.vision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import taper.tensor.MalformedFileException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class IdxContentTest {
  private static final Path GOLDEN = Path.of("vision/src/test/resources/golden/files");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t4-images-idx3-ubyte",
        "t4-images-idx3-ubyte.gz",
        "t4-labels-idx1-ubyte",
        "t50-images-idx3-ubyte.gz",
        "t50-labels-idx1-ubyte.gz",
        "values-float32.idx",
        "values-int16.idx",
        "values-int8.idx"
      })
  void readsEverySample(String name) throws Exception {
    JsonNode expected =
        new JsonMapper().readTree(Files.readString(GOLDEN.resolve(name + ".expected.json")));

    IdxContent content = IdxContent.read(name, Files.newInputStream(GOLDEN.resolve(name)));

    assertThat(content.dtype()).hasToString(expected.get("dtype").asString());
    assertThat(Arrays.toString(content.shape()).replace(" ", ""))
        .isEqualTo(expected.get("shape").toString());
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(content.data());
    assertThat(HexFormat.of().formatHex(hash)).startsWith(expected.get("sha256").asString());
  }

  @Test
  void rejectsAForeignFile() {
    assertThatThrownBy(() ->
            IdxContent.read("bad_idx_magic", Files.newInputStream(GOLDEN.resolve("bad_idx_magic"))))
        .isInstanceOf(MalformedFileException.class)
        .hasMessage(
            "bad_idx_magic: an idx file must begin with two zero bytes, but begins with 0x01 0x00"
                + " (at byte 0). Is this another format?");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                              | the magic number must have 4 bytes, but the file ends at byte 0. The file was cut off: download or copy it again.
          000008                          | the magic number must have 4 bytes, but the file ends at byte 3. The file was cut off: download or copy it again.
          0000 0801                       | the size of dimension 0 must have 4 bytes, but the file ends at byte 4. The file was cut off: download or copy it again.
          0000 0802 00000002 000000       | the size of dimension 1 must have 4 bytes, but the file ends at byte 11. The file was cut off: download or copy it again.
          0000 0702 00000002 00000002     | the type must be one of 0x08, 0x09, 0x0b, 0x0c, 0x0d and 0x0e, but is 0x07 (at byte 2). Is this another format?
          0000 0800                       | the number of dimensions must be 1 to 8, but is 0 (at byte 3).
          0000 08ff 00000001              | the number of dimensions must be 1 to 8, but is 255 (at byte 3).
          0000 0801 00000003 0102         | the data must have 3 bytes, [3] of uint8, but the file ends after 2 of them (at byte 10). The file was cut off: download or copy it again.
          0000 0801 00000003              | the data must have 3 bytes, [3] of uint8, but the file ends after 0 of them (at byte 8). The file was cut off: download or copy it again.
          0000 0801 00000003 01020304     | the file must end after [3] of uint8, but goes on (at byte 11). Is this another format?
          0000 0e04 ffffffff ffffffff ffffffff ffffffff | the data must have at most 2,147,483,583 bytes, but the sizes are [4294967295, 4294967295, 4294967295, 4294967295] of float64 (at byte 4).
          0000 0802 0000ffff 00007fff 01  | the data must have 2,147,385,345 bytes, [65535, 32767] of uint8, but the file ends after 1 of them (at byte 13). The file was cut off: download or copy it again.
          0000 0802 ffffffff 00000000 01  | the file must end after [4294967295, 0] of uint8, but goes on (at byte 12). Is this another format?
          """)
  void rejectsDamagedContentAndSaysWhere(String hex, String message) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));

    assertThatThrownBy(() -> IdxContent.read("f", new ByteArrayInputStream(bytes)))
        .isInstanceOf(MalformedFileException.class)
        .hasMessage("f: " + message);
  }

  @Test
  void aHugeClaimTakesNoMemory() {
    byte[] bytes = HexFormat.of().parseHex("00000802" + "00007fff" + "0000fff0" + "01");
    long before = allocated();

    assertThatThrownBy(() -> IdxContent.read("f", new ByteArrayInputStream(bytes)))
        .isInstanceOf(MalformedFileException.class);

    assertThat(allocated() - before).isLessThan(16 << 20);
  }

  @Test
  void acceptsAnEmptyDimension() throws IOException {
    byte[] bytes = HexFormat.of().parseHex("00000802" + "00000000" + "0000001c");

    IdxContent content = IdxContent.read("f", new ByteArrayInputStream(bytes));

    assertThat(content.shape()).containsExactly(0, 28);
    assertThat(content.data()).isEmpty();
  }

  @Test
  void rejectsTruncatedAndDamagedCompression() throws IOException {
    byte[] whole = Files.readAllBytes(GOLDEN.resolve("t50-images-idx3-ubyte.gz"));
    byte[] cut = Arrays.copyOf(whole, 20_000);
    byte[] damaged = whole.clone();
    damaged[5000] ^= 0x55;

    assertThatThrownBy(() -> IdxContent.read("f", new ByteArrayInputStream(cut)))
        .isInstanceOf(MalformedFileException.class)
        .hasMessageMatching(
            "f: the compressed data must be whole, but it ends early \\(after [0-9,]+ uncompressed"
                + " bytes\\)\\. The file was damaged: download or copy it again\\.");
    assertThatThrownBy(() -> IdxContent.read("f", new ByteArrayInputStream(damaged)))
        .isInstanceOf(MalformedFileException.class)
        .hasMessageStartingWith("f: the compressed data must be whole, but it is not: ");
  }

  @Test
  void readsWhatWasCompressedUnderAnyName() throws IOException {
    byte[] plain = Files.readAllBytes(GOLDEN.resolve("values-int16.idx"));
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(plain);
    }

    IdxContent content = IdxContent.read("x", new ByteArrayInputStream(out.toByteArray()));

    assertThat(content.shape()).containsExactly(3, 4);
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean)
            java.lang.management.ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }
}
