package taper.cpu;

import java.lang.foreign.Arena;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.CodeMemory;
import taper.cpu.moving.MovingKernels;
import taper.cpu.plain.BlockKernel;
import taper.tensor.Creation.To;
import taper.tensor.DType;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// A kernel that may assemble code while it runs, and one without code for when there is no more memory for that.
///
/// While there is plenty nothing is done but to hand calls on. When memory is short, a call that fails is made again with the
/// spare kernel, unless it overwrites what it reads: then it could have begun, and the spare kernel is used at once.
/// Threads may share it.
final class SpareKernel implements Kernel {
  private final Kernel kernel;
  private final boolean mutates;
  private final Supplier<Kernel> makeSpare;
  private volatile @Nullable Kernel spare;

  /// @param mutates whether it overwrites inputs
  /// @param spare the kernel without code, asked for when it is needed
  SpareKernel(Kernel kernel, boolean mutates, Supplier<Kernel> spare) {
    this.kernel = kernel;
    this.mutates = mutates;
    this.makeSpare = spare;
  }

  @Override
  public boolean anyStrides() {
    return kernel.anyStrides();
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    if (!CodeMemory.isShort()) {
      kernel.run(attributes, outputs, inputs);
      return;
    }
    if (!mutates && !overwrites(outputs, inputs)) {
      try {
        kernel.run(attributes, outputs, inputs);
        return;
      } catch (CodeMemory.UnavailableException e) {
        // What has been written so far is written again.
      }
    }
    runSpare(attributes, outputs, inputs);
  }

  /// Whether an output is an input.
  private static boolean overwrites(Strided[] outputs, @Nullable Strided[] inputs) {
    for (Strided out : outputs) {
      for (Strided in : inputs) {
        if (in != null && !in.isNumber() && in.address() == out.address()) {
          return true;
        }
      }
    }
    return false;
  }

  private void runSpare(Record attributes, Strided[] outputs, @Nullable Strided[] inputs) {
    Kernel without = spare;
    if (without == null) {
      without = makeSpare.get();
      spare = without;
    }
    if (without.anyStrides()) {
      without.run(attributes, outputs, present(inputs));
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      @Nullable Strided[] dense = new Strided[inputs.length];
      for (int i = 0; i < dense.length; i++) {
        Strided x = inputs[i];
        dense[i] = x == null || x.isNumber() || x.isContiguous() ? x : copied(x, arena);
      }
      Strided[] written = new Strided[outputs.length];
      for (int o = 0; o < written.length; o++) {
        written[o] = outputs[o].isContiguous() ? outputs[o] : copied(outputs[o], arena);
      }
      without.run(attributes, written, present(dense));
      for (int o = 0; o < written.length; o++) {
        if (written[o] != outputs[o]) {
          copy(outputs[o], written[o]);
        }
      }
      for (int i = 0; mutates && i < dense.length; i++) {
        Strided x = inputs[i];
        Strided changed = dense[i];
        if (x != null && changed != null && changed != x) {
          copy(x, changed);
        }
      }
    }
  }

  private static Strided copied(Strided x, Arena arena) {
    DType dtype = x.dtype();
    Strided to = x.contiguousIn(arena.allocate(x.numel() * dtype.byteSize(), 64), 0, dtype);
    copy(to, x);
    return to;
  }

  private static void copy(Strided to, Strided from) {
    MovingKernels.copyOr(BlockKernel.conversion(from.dtype()))
        .run(new To(to.dtype()), new Strided[] {to}, new Strided[] {from});
  }

  /// Kernels test absent inputs for null; the array's type cannot say so.
  @SuppressWarnings("NullAway")
  private static Strided[] present(@Nullable Strided[] inputs) {
    return inputs;
  }
}
