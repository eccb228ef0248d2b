package taper.optim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import taper.tensor.DType;
import taper.tensor.Device;
import taper.tensor.Tensor;

/// The tensors that one kernel can take together: of one type, on one device, with the same numbers for the step.
///
/// Most groups make one batch. A parameter that has missed steps, since it had no gradient, is in another. Mutable.
///
/// @param <A> the numbers of a step
final class Batches<A extends Record> {
  private record Kind<A extends Record>(A numbers, DType dtype, Device device) {}

  private final Map<Kind<A>, List<List<Tensor>>> batches = new LinkedHashMap<>();

  /// Adds a parameter, its gradient and its state, which go into lists of their own.
  void add(A numbers, Tensor parameter, Tensor... others) {
    var kind = new Kind<>(numbers, parameter.dtype(), parameter.device());
    List<List<Tensor>> lists = batches.computeIfAbsent(kind, _ -> new ArrayList<>());
    put(lists, 0, parameter);
    for (int i = 0; i < others.length; i++) {
      put(lists, i + 1, others[i]);
    }
  }

  private static void put(List<List<Tensor>> lists, int list, Tensor tensor) {
    if (list == lists.size()) {
      lists.add(new ArrayList<>());
    }
    lists.get(list).add(tensor);
  }

  /// Calls `step` with the numbers and the lists of each batch.
  void forEach(BiConsumer<A, List<List<Tensor>>> step) {
    batches.forEach((kind, lists) -> step.accept(kind.numbers(), lists));
  }
}
