package taper.nn;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// The tensors that a set of reference results refers to by key.
final class GoldenTensors {
  private final JsonNode header;
  private final ByteBuffer bytes;

  GoldenTensors(String name) {
    try (InputStream in =
        new GZIPInputStream(
            Objects.requireNonNull(
                GoldenTensors.class.getResourceAsStream("/golden/" + name + ".safetensors.gz")))) {
      ByteBuffer all = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
      byte[] json = new byte[(int) all.getLong()];
      all.get(json);
      header = new ObjectMapper().readTree(json);
      bytes = all.slice().order(ByteOrder.LITTLE_ENDIAN);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A new tensor with the values under the key in `reference`, which looks like `{"$t":"12"}`.
  Tensor get(JsonNode reference) {
    JsonNode entry = header.get(reference.get("$t").asString());
    long[] shape = entry.get("shape").valueStream().mapToLong(JsonNode::asLong).toArray();
    int from = entry.get("data_offsets").get(0).asInt();
    int to = entry.get("data_offsets").get(1).asInt();
    ByteBuffer data = bytes.slice(from, to - from).order(ByteOrder.LITTLE_ENDIAN);
    Tensor flat =
        switch (entry.get("dtype").asString()) {
          case "F32" -> {
            float[] values = new float[data.remaining() / 4];
            data.asFloatBuffer().get(values);
            yield Tensor.of(values);
          }
          case "F64" -> {
            double[] values = new double[data.remaining() / 8];
            data.asDoubleBuffer().get(values);
            yield Tensor.of(values);
          }
          case "I64" -> {
            long[] values = new long[data.remaining() / 8];
            data.asLongBuffer().get(values);
            yield Tensor.of(values);
          }
          case "I32" -> {
            int[] values = new int[data.remaining() / 4];
            data.asIntBuffer().get(values);
            yield Tensor.of(values);
          }
          case "BOOL" -> {
            boolean[] values = new boolean[data.remaining()];
            for (int i = 0; i < values.length; i++) {
              values[i] = data.get() != 0;
            }
            yield Tensor.of(values);
          }
          default -> throw new IllegalArgumentException(entry.toString());
        };
    return flat.reshape(shape);
  }
}
