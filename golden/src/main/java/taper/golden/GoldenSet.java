package taper.golden;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import taper.serialization.Safetensors;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Tensor;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// A file of cases with the tensors they name. Either file may be compressed, with `.gz` at the end of its name.
final class GoldenSet {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path path;
  private final JsonNode head;
  private final List<JsonNode> cases;
  private final Map<String, Tensor> tensors;

  private GoldenSet(Path path, JsonNode head, List<JsonNode> cases, Map<String, Tensor> tensors) {
    this.path = path;
    this.head = head;
    this.cases = cases;
    this.tensors = tensors;
  }

  /// Reads the set in `path`, or returns null if the file is no list of cases.
  ///
  /// @throws ArgumentException if the file is not JSON, or the tensors are missing
  static @Nullable GoldenSet read(Path path) {
    JsonNode head;
    try (InputStream in = open(path)) {
      head = JSON.readTree(in);
    } catch (JacksonException e) {
      throw new ArgumentException(
          "golden: %s must be JSON, but is not: %s".formatted(path, e.getOriginalMessage()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!head.isObject() || !head.has("cases") || !head.has("format")) {
      return null;
    }
    var cases = new ArrayList<JsonNode>();
    head.get("cases").forEach(cases::add);
    JsonNode named = head.get("tensors");
    Map<String, Tensor> tensors =
        named == null || named.isNull()
            ? Map.of()
            : Autograd.noGrad(() -> tensors(path.resolveSibling(named.asString())));
    return new GoldenSet(path, head, cases, tensors);
  }

  private static InputStream open(Path path) throws IOException {
    var in = new BufferedInputStream(Files.newInputStream(path), 1 << 16);
    return path.toString().endsWith(".gz") ? new GZIPInputStream(in, 1 << 16) : in;
  }

  private static Map<String, Tensor> tensors(Path path) {
    Path packed = path.resolveSibling(path.getFileName() + ".gz");
    if (Files.exists(path) || !Files.exists(packed)) {
      return Safetensors.load(path);
    }
    try {
      Path unpacked = Files.createTempFile("golden", ".safetensors");
      try (InputStream in = open(packed)) {
        Files.copy(in, unpacked, StandardCopyOption.REPLACE_EXISTING);
        return Safetensors.load(unpacked);
      } finally {
        Files.delete(unpacked);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The file.
  Path path() {
    return path;
  }

  /// What stands beside the cases.
  JsonNode head() {
    return head;
  }

  /// The name of the kind of set, such as `opinfo`.
  String kind() {
    return head.path("set").asString("");
  }

  List<JsonNode> cases() {
    return cases;
  }

  Map<String, Tensor> tensors() {
    return tensors;
  }
}
