package taper.testing.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.tensor.Memory;
import taper.tensor.TaperException;
import taper.tensor.Tensor;

/// What a call came to: values, a refusal, or a fault.
sealed interface Outcome {

  /// It returned.
  record Returned(List<Values> values) implements Outcome {}

  /// It was refused as it should be.
  record Refused(TaperException why) implements Outcome {
    String message() {
      return Objects.requireNonNullElse(why.getMessage(), "");
    }
  }

  /// It failed in a way that programs must never see.
  record Broken(Throwable why) implements Outcome {}

  /// A tensor that outlives its memory.
  ///
  /// @param kind its type and shape
  /// @param elements its elements, or null if they are too many
  record Values(String kind, taper.tensor.DType dtype, double @Nullable [] elements) {}

  /// More elements than this are not compared.
  long MANY = 1 << 20;

  /// Makes `call`.
  static Outcome of(FuzzCall call) {
    try (var _ = Memory.scope("fuzz")) {
      var values = new ArrayList<Values>();
      for (Tensor tensor : call.make()) {
        if (tensor != null) {
          values.add(values(tensor.detach()));
        }
      }
      return new Returned(values);
    } catch (TaperException e) {
      return new Refused(e);
    } catch (RuntimeException | Error e) {
      return new Broken(e);
    }
  }

  private static Values values(Tensor tensor) {
    String kind = tensor.dtype() + Arrays.toString(tensor.shape().toArray());
    if (tensor.numel() > MANY) {
      return new Values(kind, tensor.dtype(), null);
    }
    Tensor parts = tensor.isComplex() ? tensor.viewAsReal() : tensor;
    return new Values(kind, tensor.dtype(), parts.toDoubleArray());
  }
}
