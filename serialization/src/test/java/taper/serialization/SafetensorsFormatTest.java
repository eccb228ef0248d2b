package taper.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import taper.tensor.MalformedFileException;

class SafetensorsFormatTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          bad_duplicate_key       | each key of the header must be there once, but 'a' is there twice (at byte 62).
          bad_hole                | tensor 'a' must begin at 0, where the body starts, but begins at 4, which leaves 4 bytes that belong to no tensor (at byte 9).
          bad_invalid_utf8        | the header must be UTF-8, but byte 0xff is not (at byte 10).
          bad_leading_space       | the header must start with '{', but starts with byte 0x20 (at byte 8).
          bad_metadata_not_string | the value of 'k' in __metadata__ must be a text, but there is a whole number (at byte 31).
          bad_negative_dim        | the sizes of tensor 'a' must not be negative, but one is -1 (at byte 41).
          bad_not_json            | the header must start with '{', but starts with byte 0x5b (at byte 8).
          bad_overlap             | tensor 'b' must begin at 4, where tensor 'a' ends, but begins at 2, which overlaps (at byte 70).
          bad_shape_mismatch      | tensor 'a', F32 [2], must take 8 bytes, but its offsets [0, 4] span 4 (at byte 9).
          bad_too_short           | a safetensors file must begin with the 8-byte length of its header, but has only 3 bytes.
          bad_truncated_body      | the body must be as long as the tensors in it, 16 bytes, but is 8 bytes (from byte 70 on). The file was cut off: copy or save it again.
          bad_unknown_dtype       | the dtype of tensor 'a' must be one of the format's, but is 'F99' (at byte 24).
          """)
  void rejectsEveryBadSampleAndSaysWhy(String name, String message) throws IOException {
    Path file = Path.of("serialization/src/test/resources/golden/files", name + ".safetensors");

    assertThatThrownBy(() -> SafetensorsReader.open(file).close())
        .isInstanceOf(MalformedFileException.class)
        .hasMessage(name + ".safetensors: " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}} x   | 4 | the header must be JSON, but is not: Unrecognized token 'x' (at byte 63).
          {"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}} {}  | 4 | only spaces may follow the header's last brace, but there is an object (at byte 63).
          {"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}      | 4 | the header must be JSON, but is not: Unexpected end-of-input (at byte 61).
          {"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}     | 5 | the body must be as long as the tensors in it, 4 bytes, but is 5 bytes (from byte 62 on). Something was appended to the file.
          {"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}     | 4 | tensor 'a' must begin before it ends, but its offsets are [4, 0] (at byte 9).
          {"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}   | 4 | the sizes of tensor 'a' must be whole numbers, but there is a number with a fraction (at byte 37).
          {"a":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}}   | 4 | the sizes of tensor 'a' must be whole numbers, but there is a text (at byte 37).
          {"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}}       | 4 | the sizes of tensor 'a' must be a list of whole numbers, but there is a whole number (at byte 36).
          {"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}   | 4 | the offsets of tensor 'a' must be [begin, end], but there are 3 (at byte 40).
          {"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}}       | 4 | the offsets of tensor 'a' must be [begin, end], but there are 1 (at byte 40).
          {"a":{"dtype":"F32","shape":[1]}}                          | 4 | tensor 'a' must have dtype, shape and data_offsets, but has only dtype, shape (at byte 9).
          {"a":{}}                                                   | 0 | tensor 'a' must have dtype, shape and data_offsets, but has nothing (at byte 9).
          {"a":3}                                                    | 0 | tensor 'a' must be an object, but there is a whole number (at byte 13).
          {"a":null}                                                 | 0 | tensor 'a' must be an object, but there is null (at byte 13).
          {"a":{"dtype":5,"shape":[1],"data_offsets":[0,4]}}         | 4 | the dtype of tensor 'a' must be a text, but there is a whole number (at byte 22).
          {"a":{"dtype":"F4","shape":[1],"data_offsets":[0,1]}}      | 1 | tensor 'a' must fill whole bytes, but [1] elements of F4 are 4 bits (at byte 9).
          {"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}} | 4 | each key of tensor 'a' must be there once, but 'dtype' is there twice (at byte 28).
          {"__metadata__":{"k":"v","k":"w"}}                         | 0 | each key of __metadata__ must be there once, but 'k' is there twice (at byte 33).
          {"__metadata__":{},"__metadata__":{}}                      | 0 | each key of the header must be there once, but '__metadata__' is there twice (at byte 27).
          {"__metadata__":"k"}                                       | 0 | __metadata__ must be an object of texts, but there is a text (at byte 24).
          {"\\ud800":{"dtype":"F32","shape":[],"data_offsets":[0,4]}} | 4 | the header must be JSON, but is not: Broken surrogate pair in property name (at byte 16).
          {"a":{"dtype":"F32","shape":[],"data_offsets":[0,4],}}     | 4 | the header must be JSON, but is not: Unexpected character ('}' (code 125)) (at byte 60).
          {'a':1}                                                    | 4 | the header must be JSON, but is not: Unexpected character (''' (code 39)) (at byte 9).
          {"a":NaN}                                                  | 4 | the header must be JSON, but is not: Non-standard token 'NaN' (at byte 16).
          {"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}} | 0 | tensor 'a' must have fewer than 2⁶³ bits, but its shape is [4611686018427387904, 4] (at byte 9).
          {"a":{"dtype":"F32","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}} | 0 | tensor 'a' must have fewer than 2⁶³ bits, but its shape is [4294967296, 4294967296, 0] (at byte 9).
          {"a":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,0]}} | 0 | the sizes of tensor 'a' must be below 2⁶³, but one has 20 digits (at byte 37).
          {"a":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}} | 0 | tensor 'a' must have fewer than 2⁶³ bits, but its shape is [9223372036854775807] (at byte 9).
          """)
  void rejectsWhatBreaksTheFormatAndSaysWhere(String header, int bodyLength, String message)
      throws IOException {
    Path file = file(header.getBytes(StandardCharsets.UTF_8), bodyLength);

    assertThatThrownBy(() -> SafetensorsReader.open(file).close())
        .isInstanceOf(MalformedFileException.class)
        .hasMessage("t.safetensors: " + message);
  }

  @Test
  void rejectsAHeaderLongerThanTheFormatAllowsWithoutReadingIt() throws IOException {
    for (long length : new long[] {100_000_001, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
      Path file = Files.write(folder.resolve("t.safetensors"), prefixed(length, new byte[16]));

      assertThatThrownBy(() -> SafetensorsReader.open(file).close())
          .isInstanceOf(MalformedFileException.class)
          .hasMessage(
              "t.safetensors: the header must have at most 100,000,000 bytes, but its length is"
                  + " given as %s (at byte 0). Is this a safetensors file?",
              Long.toUnsignedString(length));
    }
  }

  @Test
  void rejectsAHeaderLongerThanTheFile() throws IOException {
    Path file = Files.write(folder.resolve("t.safetensors"), prefixed(17, new byte[16]));

    assertThatThrownBy(() -> SafetensorsReader.open(file).close())
        .isInstanceOf(MalformedFileException.class)
        .hasMessage(
            "t.safetensors: the header must lie within the file, but its length is given as 17"
                + " bytes and only 16 follow (at byte 0). The file was cut off: copy or save it"
                + " again.");
  }

  @Test
  void rejectsDeepNestingWithoutExhaustingTheStack() throws IOException {
    String deep = "[".repeat(1_000_000);
    Path file = file(("{\"a\":{\"x\":" + deep).getBytes(StandardCharsets.UTF_8), 0);

    assertThatThrownBy(() -> SafetensorsReader.open(file).close())
        .isInstanceOf(MalformedFileException.class)
        .hasMessageStartingWith("t.safetensors: the header must be JSON, but is not: ");
  }

  @Test
  void ignoresUnknownFieldsOfATensor() throws IOException {
    String header =
        "{\"a\":{\"x\":{\"y\":[1,2]},\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}";

    try (var reader = SafetensorsReader.open(file(header.getBytes(StandardCharsets.UTF_8), 4))) {
      assertThat(reader.header().entries())
          .containsExactly(new SafetensorsHeader.Entry("a", StoredType.F32, List.of(), 0, 4));
    }
  }

  @Test
  void randomDamageIsRejectedOrHarmless() throws IOException {
    byte[] sample =
        Files.readAllBytes(
            Path.of("serialization/src/test/resources/golden/files/sample.safetensors"));
    Random random = new Random(1);
    int rejected = 0;
    for (int round = 0; round < 3000; round++) {
      byte[] damaged = sample.clone();
      for (int i = 0; i <= round % 3; i++) {
        damaged[random.nextInt(8 + 328)] = (byte) random.nextInt(256);
      }
      Path file = Files.write(folder.resolve("t.safetensors"), damaged);

      try (var reader = SafetensorsReader.open(file)) {
        assertThat(reader.header().bodyOffset()).isLessThanOrEqualTo(damaged.length);
      } catch (MalformedFileException e) {
        assertThat(e.byteOffset()).isBetween(0L, (long) damaged.length);
        rejected++;
      }
    }
    assertThat(rejected).isGreaterThan(1000);
  }

  @Test
  void writesWideTypesFirstThenByNameAndPadsTheHeader() {
    var header =
        SafetensorsHeader.of(
            new TreeMap<>(Map.of("format", "pt")),
            List.of(
                new SafetensorsHeader.Entry("z", StoredType.U8, List.of(3L), 0, 3),
                new SafetensorsHeader.Entry("b", StoredType.F32, List.of(2L, 1L), 0, 8),
                new SafetensorsHeader.Entry("a\"é", StoredType.F32, List.of(), 0, 4),
                new SafetensorsHeader.Entry("n", StoredType.I64, List.of(0L), 0, 0)));

    byte[] bytes = header.encode();

    assertThat(bytes.length % 8).isZero();
    assertThat(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong())
        .isEqualTo(bytes.length - 8);
    assertThat(new String(bytes, 8, bytes.length - 8, StandardCharsets.UTF_8).strip())
        .isEqualTo(
            "{\"__metadata__\":{\"format\":\"pt\"},"
                + "\"n\":{\"dtype\":\"I64\",\"shape\":[0],\"data_offsets\":[0,0]},"
                + "\"a\\\"é\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                + "\"b\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[4,12]},"
                + "\"z\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[12,15]}}");
  }

  private Path file(byte[] header, int bodyLength) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(header.length + bodyLength).put(header);
    return Files.write(folder.resolve("t.safetensors"), prefixed(header.length, all.array()));
  }

  private static byte[] prefixed(long length, byte[] rest) {
    return ByteBuffer.allocate(8 + rest.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(length)
        .put(rest)
        .array();
  }
}
