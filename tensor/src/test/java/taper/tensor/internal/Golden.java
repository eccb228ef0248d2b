package taper.tensor.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import taper.tensor.DType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Reads what was recorded with PyTorch. The tests of this module cannot use the module `testing`, which
/// needs this one.
final class Golden {
  private Golden() {}

  /// The cases of the resource `golden/rng/<name>.json.gz`.
  static Stream<JsonNode> cases(String name) {
    try (InputStream in =
        new GZIPInputStream(Golden.class.getResourceAsStream("/golden/rng/" + name + ".json.gz"))) {
      return JsonMapper.shared().readTree(in).get("cases").valueStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static DType dtype(JsonNode name) {
    for (DType dtype : DType.values()) {
      if (dtype.toString().equals(name.asString())) {
        return dtype;
      }
    }
    throw new AssertionError(name);
  }

  static long[] sizes(JsonNode shape) {
    return shape.valueStream().mapToLong(JsonNode::asLong).toArray();
  }

  /// The first 16 digits of the checksum, as the recorded files have it.
  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
