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

  /// Where files come from.
  @FunctionalInterface
  interface Source {
    /// The file called `name`, or null if there is none.
    @Nullable InputStream open(String name) throws IOException;
  }

  private final String name;
  private final JsonNode head;
  private final List<JsonNode> cases;
  private final Map<String, Tensor> tensors;

  private GoldenSet(String name, JsonNode head, List<JsonNode> cases, Map<String, Tensor> tensors) {
    this.name = name;
    this.head = head;
    this.cases = cases;
    this.tensors = tensors;
  }

  /// Reads the set in `path`, or returns null if the file is no list of cases.
  ///
  /// @throws ArgumentException if the file is not JSON, or the tensors are missing
  static @Nullable GoldenSet read(Path path) {
    return read(
        path.getFileName().toString(),
        name -> {
          Path file = path.resolveSibling(name);
          return Files.exists(file) ? Files.newInputStream(file) : null;
        });
  }

  /// Reads the set called `name` that `source` holds, or returns null if it is no list of cases.
  ///
  /// @throws ArgumentException if the file is not JSON, or the tensors are missing
  static @Nullable GoldenSet read(String name, Source source) {
    JsonNode head;
    try (InputStream in = open(name, source)) {
      head = JSON.readTree(in);
    } catch (JacksonException e) {
      throw new ArgumentException(
          "golden: %s must be JSON, but is not: %s".formatted(name, e.getOriginalMessage()));
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
            : Autograd.noGrad(() -> tensors(named.asString(), source));
    return new GoldenSet(name, head, cases, tensors);
  }

  /// The file called `name`, or the compressed one called `name.gz`.
  private static InputStream open(String name, Source source) throws IOException {
    InputStream plain = source.open(name);
    if (plain != null) {
      return name.endsWith(".gz")
          ? new GZIPInputStream(new BufferedInputStream(plain), 1 << 16)
          : new BufferedInputStream(plain, 1 << 16);
    }
    InputStream packed = source.open(name + ".gz");
    if (packed == null) {
      throw new ArgumentException(
          "golden: the file %s must lie beside its set, but does not.".formatted(name));
    }
    return new GZIPInputStream(new BufferedInputStream(packed), 1 << 16);
  }

  private static Map<String, Tensor> tensors(String name, Source source) {
    try {
      Path file = Files.createTempFile("golden", ".safetensors");
      try (InputStream in = open(name, source)) {
        Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        return Safetensors.load(file);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The name of the file.
  String name() {
    return name;
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
