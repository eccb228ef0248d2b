package taper.cpu;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.CodeMemory;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.cpu.composed.ComposedKernels;
import taper.cpu.composed.Engine;
import taper.cpu.moving.MovingKernels;
import taper.cpu.parallel.HugePages;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Scratch;
import taper.cpu.plain.BlockKernel;
import taper.cpu.reductions.LineKernels;
import taper.cpu.separable.SampledImages;
import taper.cpu.separable.SeparableMaps;
import taper.cpu.x86.Conversions;
import taper.cpu.x86.Extremes;
import taper.cpu.x86.FloatFolds;
import taper.cpu.x86.PointwiseKernel;
import taper.cpu.x86.Powers;
import taper.cpu.x86.Scans;
import taper.cpu.x86.TopElements;
import taper.cpu.x86.X86Loops;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.KernelLibrary;
import taper.tensor.spi.Part;
import taper.tensor.spi.Strided;

/// Kernels that are assembled for this processor: x86-64 with AVX2 or AVX-512.
public final class X86Library implements KernelLibrary {

  private static final KernelLibrary WITHOUT_CODE = new JavaLibrary();
  private static final AtomicReference<@Nullable Kernel> MEAN = new AtomicReference<>();

  /// Created by the service loader.
  public X86Library() {}

  @Override
  public String name() {
    return "x86";
  }

  @Override
  public int priority() {
    return 200;
  }

  @Override
  public @Nullable String unavailable() {
    return CpuFeatures.current().unavailable();
  }

  @Override
  public @Nullable MemorySegment reserve(long bytes) {
    return HugePages.reserve(bytes);
  }

  @Override
  public void discard(MemorySegment part) {
    HugePages.discard(part);
  }

  @Override
  public void relieve() {
    Scratch.ofThread().relieve();
    Parallel.relieve();
  }

  @Override
  public void setThreads(int threads) {
    Parallel.setThreads(threads);
  }

  @Override
  public int threads() {
    return Parallel.threads();
  }

  @Override
  public void run(long size, long grain, Part part) {
    Parallel.run(size, grain, part::run);
  }

  @Override
  public boolean isWithin(Strided x, long low, long high) {
    try {
      return Kernels.LOOPS.areWithin(x.address(), x.numel(), low, high);
    } catch (CodeMemory.UnavailableException e) {
      return KernelLibrary.super.isWithin(x, low, high);
    }
  }

  @Override
  public @Nullable Kernel kernel(Operator<?> operator, DType compute, DType result) {
    try {
      return switch (operator.definition()) {
        case Definition.Pointwise<?> pointwise -> pointwise(operator, pointwise, compute, result);
        case Definition.Structured<?>(var reference) -> {
          @Nullable Kernel kernel = structured(operator, compute, result);
          yield kernel == null
              ? null
              : new SpareKernel(
                  kernel,
                  !operator.mutated().isEmpty(),
                  () -> {
                    @Nullable Kernel plain = WITHOUT_CODE.kernel(operator, compute, result);
                    return plain != null ? plain : reference;
                  });
        }
        case Definition.Composite<?> _, Definition.View<?> _ -> null;
      };
    } catch (CodeMemory.UnavailableException e) {
      return null; // the code memory is full: the next library has a kernel without code
    }
  }

  private static @Nullable Kernel pointwise(
      Operator<?> operator, Definition.Pointwise<?> pointwise, DType compute, DType result) {
    List<DType> inputs = Collections.nCopies(operator.signature().inputs().size(), compute);
    if (compute.isIntegral() || compute == DType.BOOL) {
      @Nullable Kernel whole =
          PointwiseKernel.ofWhole(
              CpuFeatures.current().isa(), pointwise.formula(), inputs, compute, result);
      if (whole != null || compute.isIntegral()) {
        return whole;
      }
    }
    Isa isa = CpuFeatures.current().isa();
    Formula formula = pointwise.formula();
    @Nullable Kernel kernel =
        PointwiseKernel.of(isa, formula, compute == DType.FLOAT64, inputs, result);
    if (compute == result && compute.isFloatingPoint() && Powers.covers(formula)) {
      Kernel general = kernel != null ? kernel : new BlockKernel(formula, 1, compute);
      return Powers.of(isa, compute, general);
    }
    return kernel;
  }

  private static @Nullable Kernel structured(Operator<?> operator, DType compute, DType result) {
    return switch (operator.name()) {
      case "to" -> {
        @Nullable Kernel conversion = Conversions.to(CpuFeatures.current().isa(), compute, result);
        yield conversion != null && compute == result
            ? MovingKernels.copyOr(conversion, Kernels.LOOPS)
            : conversion;
      }
      case "fill_" -> Conversions.fill(CpuFeatures.current().isa(), result);
      default -> {
        @Nullable Kernel heavy =
            SeparableMaps.kernel(CpuFeatures.current().isa(), operator, compute, X86Library::mean);
        if (heavy == null) {
          heavy = SampledImages.kernel(CpuFeatures.current().isa(), operator, compute);
        }
        if (heavy == null) {
          heavy = Kernels.HEAVY.kernel(operator, compute);
        }
        if (heavy == null) {
          heavy = reduction(operator, compute);
        }
        if (heavy == null) {
          heavy = TopElements.kernel(CpuFeatures.current().isa(), operator, compute);
        }
        if (heavy == null) {
          heavy = Scans.kernel(CpuFeatures.current().isa(), operator, compute);
        }
        yield heavy != null ? heavy : MovingKernels.kernel(operator, compute, Kernels.LOOPS);
      }
    };
  }

  private static @Nullable Kernel reduction(Operator<?> operator, DType compute) {
    Isa isa = CpuFeatures.current().isa();
    @Nullable Kernel composed = Kernels.COMPOSED.kernel(operator, compute);
    @Nullable Kernel fold = FloatFolds.kernel(isa, operator, compute, composed);
    if (fold != null || composed != null) {
      return fold != null ? fold : composed;
    }
    @Nullable Kernel plain = LineKernels.kernel(operator, compute);
    return Extremes.kernel(isa, operator, compute, plain);
  }

  /// The kernel of means. Making it assembles code, for which there may be no memory.
  private static Kernel mean() {
    Kernel known = MEAN.get();
    if (known == null) {
      known = FloatFolds.mean(CpuFeatures.current().isa(), Kernels.COMPOSED.mean());
      MEAN.set(known);
    }
    return known;
  }

  /// Made when the first kernel is asked for: only then is it sure that code can be assembled.
  private static final class Kernels {
    static final X86Loops LOOPS = new X86Loops(CpuFeatures.current().isa());
    static final HeavyKernels HEAVY = HeavyKernels.x86(CpuFeatures.current().isa());
    static final ComposedKernels COMPOSED =
        new ComposedKernels(Engine.x86(CpuFeatures.current().isa()));
  }
}
