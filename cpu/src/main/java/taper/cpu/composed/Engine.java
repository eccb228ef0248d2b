package taper.cpu.composed;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.CodeMemory;
import taper.cpu.assembler.Isa;
import taper.cpu.plain.BlockKernel;
import taper.cpu.plain.PlainSoftmax;
import taper.cpu.reductions.Folding;
import taper.cpu.reductions.JavaFolding;
import taper.cpu.x86.ChannelNorm;
import taper.cpu.x86.PointwiseKernel;
import taper.cpu.x86.RowNorm;
import taper.cpu.x86.SoftmaxGradient;
import taper.cpu.x86.SoftmaxKernel;
import taper.cpu.x86.X86Folding;
import taper.tensor.DType;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;

/// What kernels are composed of.
public interface Engine {

  /// A kernel that takes `parameters` (as [taper.tensor.Parameters]) and computes formulas over inputs of
  /// the given types; outputs may be inputs.
  Kernel pointwise(List<Formula> formulas, DType compute, List<DType> inputs, List<DType> outputs);

  /// The reductions.
  Folding folding();

  /// Softmax, or its logarithm, along the dimension of [taper.tensor.Activations.Along].
  Kernel softmax(DType dtype, boolean logarithm);

  /// Batch normalization that reads memory once, or null if the engine has none.
  default @Nullable ChannelNorm channelNorm(DType dtype) {
    return null;
  }

  /// Layer normalization in one pass, or null if the engine has none.
  default @Nullable RowNorm rowNorm(DType dtype) {
    return null;
  }

  /// The gradient of softmax, or of its logarithm, in one pass, or null if the engine has none.
  default @Nullable SoftmaxGradient softmaxGradient(DType dtype, boolean logarithm) {
    return null;
  }

  /// The engine in plain Java.
  static Engine java() {
    var folding = new JavaFolding();
    return new Engine() {
      @Override
      public Kernel pointwise(
          List<Formula> formulas, DType compute, List<DType> inputs, List<DType> outputs) {
        return new BlockKernel(formulas, inputs.size(), compute);
      }

      @Override
      public Folding folding() {
        return folding;
      }

      @Override
      public Kernel softmax(DType dtype, boolean logarithm) {
        return new PlainSoftmax(logarithm);
      }
    };
  }

  /// The engine that assembles code for a processor that has `isa`.
  static Engine x86(Isa isa) {
    var folding = new X86Folding(isa);
    var single = new RowNorm(isa, DType.FLOAT32);
    var twice = new RowNorm(isa, DType.FLOAT64);
    var channels = new ChannelNorm(isa, DType.FLOAT32);
    var wideChannels = new ChannelNorm(isa, DType.FLOAT64);
    return new Engine() {
      @Override
      public Kernel pointwise(
          List<Formula> formulas, DType compute, List<DType> inputs, List<DType> outputs) {
        try {
          Kernel kernel =
              PointwiseKernel.of(isa, formulas, compute == DType.FLOAT64, inputs, outputs);
          if (kernel != null) {
            return kernel;
          }
        } catch (CodeMemory.UnavailableException e) {
          // Full: plain Java needs no code.
        }
        return new BlockKernel(formulas, inputs.size(), compute);
      }

      @Override
      public Folding folding() {
        return folding;
      }

      @Override
      public Kernel softmax(DType dtype, boolean logarithm) {
        return new SoftmaxKernel(isa, dtype, logarithm);
      }

      @Override
      public SoftmaxGradient softmaxGradient(DType dtype, boolean logarithm) {
        return new SoftmaxGradient(isa, dtype, logarithm);
      }

      @Override
      public ChannelNorm channelNorm(DType dtype) {
        return dtype == DType.FLOAT64 ? wideChannels : channels;
      }

      @Override
      public RowNorm rowNorm(DType dtype) {
        return dtype == DType.FLOAT64 ? twice : single;
      }
    };
  }
}
