package taper.examples;

import static taper.tensor.Index.all;
import static taper.tensor.Index.at;

import module java.base;
import module taper;

/// Making tensors, looking at parts of them, and calculating with them.
final class TensorBasics {
  private TensorBasics() {}

  static void main(String[] arguments) {
    Tensor.manualSeed(0);

    // Making tensors
    var data = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2);
    IO.println(data);
    IO.println(Tensor.onesLike(data));
    var random = Tensor.rand(2, 3);
    IO.println(random);
    IO.println("shape %s, %d elements".formatted(random.shape(), random.numel()));

    // Rows, columns, and writing into them
    var table = Tensor.arange(0.0, 12.0, 1.0).view(3, 4);
    IO.println("first row " + table.get(0));
    IO.println("last column " + table.get(all(), at(-1)));
    table.set(0, all(), at(1));
    IO.println(table);

    // Joining, and calculating element by element
    IO.println(Tensor.cat(List.of(data, data), 1));
    IO.println(data.mul(data));
    IO.println(data.matmul(data.t()));
    IO.println(
        "sum %.1f, mean %.1f, largest %.1f"
            .formatted(data.sum().item(), data.mean().item(), data.max().item()));

    // Broadcasting: a row is added to every row
    IO.println(Tensor.zeros(3, 2).add(Tensor.of(new float[] {10, 20})));

    // A view shares its memory
    var flat = data.view(4);
    flat.add_(100);
    IO.println(data);

    // Masks and sums along a dimension
    IO.println(data.get(Index.of(data.gt(102))));
    IO.println(table.sum(0));
    IO.println(table.argmax(1));
  }
}
