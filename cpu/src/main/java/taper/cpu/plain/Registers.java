package taper.cpu.plain;

import taper.tensor.Parameters;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;
import taper.tensor.spi.Strided;

/// Blocks of elements in arrays of one Java type. Belongs to one thread.
abstract sealed class Registers permits FloatRegisters, DoubleRegisters, LongRegisters {
  /// The elements of a block.
  static final int BLOCK = 1024;

  /// Makes sure that there are `count` registers.
  abstract void prepare(int count);

  /// Fills a register with a number.
  abstract void fill(int to, Parameters parameters, Steps.Fixed number);

  /// Loads `count` elements, `stride` bytes apart, into a register from element `first` on.
  abstract void load(int to, int first, Strided x, long offset, long stride, int count);

  /// Stores `count` elements of a register from element `first` on, `stride` bytes apart.
  abstract void store(int from, int first, Strided x, long offset, long stride, int count);

  abstract void one(int to, Function function, int x, int count);

  abstract void two(int to, Arithmetic arithmetic, int x, int y, int count);

  /// `x · y + z`, rounded once.
  abstract void fused(int to, int x, int y, int z, int count);

  /// `z - x · y`, rounded once.
  abstract void minusProduct(int to, int x, int y, int z, int count);

  /// `x · y - z`, rounded once.
  abstract void minusRest(int to, int x, int y, int z, int count);

  abstract void choose(
      int to, int x, Comparison comparison, int y, int then, int otherwise, int count);

  /// Runs the operations of a block.
  final void run(Steps steps, int count) {
    for (Steps.Operation operation : steps.operations()) {
      switch (operation) {
        case Steps.One(var to, var function, var x) -> one(to, function, x, count);
        case Steps.Two(var to, var arithmetic, var x, var y) -> two(to, arithmetic, x, y, count);
        case Steps.Fused(var to, var x, var y, var z, var minusProduct, var minusRest) -> {
          if (minusProduct) {
            minusProduct(to, x, y, z, count);
          } else if (minusRest) {
            minusRest(to, x, y, z, count);
          } else {
            fused(to, x, y, z, count);
          }
        }
        case Steps.Choice(var to, var x, var comparison, var y, var then, var otherwise) ->
            choose(to, x, comparison, y, then, otherwise, count);
      }
    }
  }
}
