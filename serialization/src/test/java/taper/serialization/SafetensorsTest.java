package taper.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.MalformedFileException;
import taper.tensor.Tensor;
import taper.tensor.UnsupportedException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SafetensorsTest {
  private static final Path GOLDEN = Path.of("serialization/src/test/resources/golden/files");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bf16",
        "empty_file_header_only",
        "gpt",
        "no_metadata_unaligned",
        "resnet18_narrow",
        "sample",
        "unicode_names"
      })
  void readsEverySampleAsPyTorchWroteIt(String name) throws Exception {
    JsonNode expected =
        new JsonMapper()
            .readTree(Files.readString(GOLDEN.resolve(name + ".safetensors.expected.json")));
    Path file = GOLDEN.resolve(name + ".safetensors");

    Map<String, Tensor> tensors = Safetensors.load(file);

    assertThat(tensors.keySet())
        .containsExactlyInAnyOrderElementsOf(expected.get("tensors").propertyNames());
    for (var each : tensors.entrySet()) {
      assertSame(each.getKey(), each.getValue(), expected.get("tensors").get(each.getKey()));
    }
    JsonNode metadata = expected.get("metadata");
    assertThat(Safetensors.metadata(file))
        .isEqualTo(
            metadata.isNull() ? Map.of() : Map.of("format", metadata.get("format").asString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bf16", "gpt", "no_metadata_unaligned", "resnet18_narrow", "sample"})
  void aRoundTripKeepsEveryBitAndASecondSaveEveryByte(String name) throws IOException {
    Map<String, Tensor> tensors = Safetensors.load(GOLDEN.resolve(name + ".safetensors"));
    Path first = folder.resolve("first.safetensors");
    Path second = folder.resolve("second.safetensors");

    Safetensors.save(tensors, first);
    Safetensors.save(Safetensors.load(first), second);

    assertThat(second).hasSameBinaryContentAs(first);
    Map<String, Tensor> again = Safetensors.load(second);
    assertThat(again.keySet()).isEqualTo(tensors.keySet());
    again.forEach((key, tensor) -> assertThat(bytes(tensor)).isEqualTo(bytes(tensors.get(key))));
  }

  @Test
  void complexTypesThatTheFormatLacksAreRefused() {
    Tensor tensor = Tensor.zeros(DType.COMPLEX128, 2);
    Path file = folder.resolve("t.safetensors");

    assertThatThrownBy(() -> Safetensors.save(Map.of("t", tensor), file))
        .isInstanceOf(UnsupportedException.class)
        .hasMessage(
            "safetensors: the format must have the type of every tensor, but has no complex128."
                + " Save viewAsReal(), or convert it with .to(DType.COMPLEX64).");
    assertThat(file).doesNotExist();
  }

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {"COMPLEX32", "COMPLEX128"},
      mode = EnumSource.Mode.EXCLUDE)
  void everyTypeKeepsEveryBitPattern(DType dtype) {
    Tensor tensor = Tensor.empty(dtype, 3, 5, 7);
    Random random = new Random(7);
    var region = tensor.strided();
    for (long i = 0; i < tensor.numel() * dtype.byteSize(); i++) {
      byte value = (byte) random.nextInt(dtype == DType.BOOL ? 2 : 256);
      region.memory().set(ValueLayout.JAVA_BYTE, region.byteOffset() + i, value);
    }
    Path file = folder.resolve("t.safetensors");

    Safetensors.save(Map.of("t", tensor), file);
    Tensor back = Safetensors.load(file).get("t");

    assertThat(back.dtype()).isEqualTo(dtype);
    assertThat(back.shape()).isEqualTo(tensor.shape());
    assertThat(bytes(back)).isEqualTo(bytes(tensor));
  }

  private void isNotSaved(Map<String, Tensor> tensors, Map<String, String> texts, String message) {
    Path file = folder.resolve("t.safetensors");

    assertThatThrownBy(() -> Safetensors.save(tensors, texts, file))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(message);
    assertThat(file).doesNotExist();
  }

  @Test
  void textsThatNobodyCouldReadBackAreRefused() {
    Tensor one = Tensor.ones(1);
    String half = "\uD83D\uDE00 \uD83D";
    var absent = new LinkedHashMap<String, Tensor>();
    absent.put("w", null);
    var nameless = new LinkedHashMap<String, Tensor>();
    nameless.put(null, one);

    isNotSaved(
        Map.of(half, one),
        Map.of(),
        "Safetensors.save: the name of a tensor must be made of characters, but has half of one,"
            + " \\ud83d, at position 3.");
    isNotSaved(
        Map.of("w", one),
        Map.of(half, ""),
        "Safetensors.save: a key of the metadata must be made of characters, but has half of one,"
            + " \\ud83d, at position 3.");
    isNotSaved(
        Map.of("w", one),
        Map.of("note", half),
        "Safetensors.save: the text of 'note' in the metadata must be made of characters, but has"
            + " half of one, \\ud83d, at position 3.");
    isNotSaved(
        nameless, Map.of(), "Safetensors.save: the name of a tensor must be a text, but is null.");
    isNotSaved(absent, Map.of(), "Safetensors.save: every tensor must be given, but 'w' is null.");
  }

  @Test
  void namesOfAnyCharactersComeBack() {
    Path file = folder.resolve("t.safetensors");
    String name = "\uD83D\uDE00 \u0000 \"ü\uFFFF";

    Safetensors.save(Map.of(name, Tensor.ones(1)), Map.of(name, name), file);

    assertThat(Safetensors.load(file)).containsOnlyKeys(name);
    assertThat(Safetensors.metadata(file)).isEqualTo(Map.of(name, name));
  }

  @Test
  void keepsTheMetadata() {
    Path file = folder.resolve("t.safetensors");
    Map<String, String> metadata = Map.of("epoch", "3", "note", "a \"quoted\" ü\n");

    Safetensors.save(new LinkedHashMap<>(), metadata, file);

    assertThat(Safetensors.metadata(file)).isEqualTo(metadata);
    assertThat(Safetensors.load(file)).isEmpty();
  }

  @Test
  void writesTensorsThatAreNotContiguousInTheirLogicalOrder() {
    Tensor tensor = Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
    Path file = folder.resolve("t.safetensors");

    Safetensors.save(Map.of("t", tensor.transpose(0, 1)), file);

    assertThat(Safetensors.load(file).get("t").toFloatArray()).containsExactly(1, 4, 2, 5, 3, 6);
  }

  @Test
  void namesTheTensorOfATypeThatTaperLacks() throws IOException {
    Path file = write("{\"w\":{\"dtype\":\"F8_E4M3\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2);

    assertThatThrownBy(() -> Safetensors.load(file))
        .isInstanceOf(UnsupportedException.class)
        .hasMessage(
            "Safetensors.load: tensors must be of a type that Taper has, but 'w' in t.safetensors"
                + " is F8_E4M3. Convert it to F32 or I64 where the file was made.");
  }

  @Test
  void rejectsABooleanThatIsNeitherTrueNorFalse() throws IOException {
    Path file = write("{\"w\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2);
    byte[] content = Files.readAllBytes(file);
    content[content.length - 1] = 2;
    Files.write(file, content);

    assertThatThrownBy(() -> Safetensors.load(file))
        .isInstanceOf(MalformedFileException.class)
        .hasMessage(
            "t.safetensors: the elements of tensor 'w', BOOL, must be 0 or 1, but one is 2 (at byte"
                + " %d).",
            content.length - 1);
  }

  @Test
  void saysWhichFileIsMissing() {
    Path file = folder.resolve("none.safetensors");

    assertThatThrownBy(() -> Safetensors.load(file))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Safetensors.load: the file must exist, but there is no " + file + ".");
  }

  @Test
  void refusesTheNameThatTheFormatReserves() {
    assertThatThrownBy(
            () -> Safetensors.save(Map.of("__metadata__", Tensor.ones(1)), folder.resolve("t")))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "Safetensors.save: a tensor must not be called '__metadata__', but one is: the format"
                + " keeps its texts there. Rename it.");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aFailedSaveLeavesTheOldFileAndNoOther() throws IOException {
    Path file = folder.resolve("model.safetensors");
    Safetensors.save(Map.of("t", Tensor.ones(3)), file);
    byte[] before = Files.readAllBytes(file);
    assertThat(folder.toFile().setWritable(false)).isTrue();
    try {
      if (Files.isWritable(folder)) {
        return; // the superuser may write everywhere; AtomicFileTest covers the rest
      }

      assertThatThrownBy(() -> Safetensors.save(Map.of("t", Tensor.zeros(3)), file))
          .hasMessageStartingWith("Safetensors.save: " + file + " cannot be written: ");
    } finally {
      assertThat(folder.toFile().setWritable(true)).isTrue();
    }
    assertThat(file).hasBinaryContent(before);
  }

  private Path write(String header, int bodyLength) throws IOException {
    byte[] text = header.getBytes(StandardCharsets.UTF_8);
    return Files.write(
        folder.resolve("t.safetensors"),
        ByteBuffer.allocate(8 + text.length + bodyLength)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(text.length)
            .put(text)
            .array());
  }

  private static byte[] bytes(Tensor tensor) {
    var region = tensor.strided();
    return region
        .memory()
        .asSlice(region.byteOffset(), tensor.numel() * tensor.dtype().byteSize())
        .toArray(ValueLayout.JAVA_BYTE);
  }

  private static void assertSame(String name, Tensor tensor, JsonNode expected) throws Exception {
    assertThat(tensor.dtype()).as(name).hasToString(expected.get("dtype").asString());
    assertThat(tensor.shape().toList().toString().replace(" ", ""))
        .as(name)
        .isEqualTo(expected.get("shape").toString());
    JsonNode data = expected.get("data");
    if (data == null) {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes(tensor));
      assertThat(HexFormat.of().formatHex(hash))
          .as(name)
          .startsWith(expected.get("sha256").asString());
      return;
    }
    assertThat(tensor.numel()).as(name).isEqualTo(data.size());
    double[] values = tensor.to(DType.FLOAT64).toDoubleArray();
    for (int i = 0; i < values.length; i++) {
      assertThat(values[i]).as("%s[%d]", name, i).isEqualTo(Double.valueOf(number(data.get(i))));
    }
  }

  private static double number(JsonNode node) {
    if (node.isBoolean()) {
      return node.asBoolean() ? 1 : 0;
    }
    return switch (node.asString()) {
      case "nan" -> Double.NaN;
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> node.asDouble();
    };
  }
}
