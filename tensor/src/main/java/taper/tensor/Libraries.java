package taper.tensor;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Heap;
import taper.tensor.internal.ReferencePointwise;
import taper.tensor.internal.Workers;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.KernelLibrary;
import taper.tensor.spi.Strided;

/// The kernel libraries that can be used here, best first.
///
/// The system property `taper.kernels` names the best to be used: `x86` (the default) falls back to `java` and
/// `reference`, `java` to `reference`.
final class Libraries {
  private static final List<KernelLibrary> FOUND =
      ServiceLoader.load(KernelLibrary.class, Libraries.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .filter(library -> library.unavailable() == null)
          .sorted(Comparator.comparingInt(KernelLibrary::priority).reversed())
          .toList();

  /// The libraries to be used; null if the property asks for one that is not there.
  private static final @Nullable List<KernelLibrary> CHOSEN = choose();

  /// What stands for the libraries where there are none.
  private static final KernelLibrary NONE =
      new KernelLibrary() {
        @Override
        public String name() {
          return "none";
        }

        @Override
        public int priority() {
          return 0;
        }

        @Override
        public @Nullable String unavailable() {
          return null;
        }

        @Override
        public @Nullable Kernel kernel(Operator<?> operator, DType compute, DType result) {
          return null;
        }
      };

  private Libraries() {}

  private static String wanted() {
    return System.getProperty("taper.kernels", "");
  }

  private static @Nullable List<KernelLibrary> choose() {
    String best = wanted();
    if (best.isEmpty()) {
      return FOUND;
    }
    if (best.equals("reference")) {
      return List.of();
    }
    for (int i = 0; i < FOUND.size(); i++) {
      if (FOUND.get(i).name().equals(best)) {
        return FOUND.subList(i, FOUND.size());
      }
    }
    return null;
  }

  /// The libraries to be used, best first.
  ///
  /// @throws UnsupportedException if the property names none that is here. It is thrown at every use rather than once, when
  ///     the class is made, which would hide it in an error of the virtual machine
  static List<KernelLibrary> all() {
    List<KernelLibrary> chosen = CHOSEN;
    if (chosen == null) {
      throw new UnsupportedException(
          "taper.kernels: the value must be reference or one of %s, but is '%s'."
              .formatted(FOUND.stream().map(KernelLibrary::name).toList(), wanted()));
    }
    return chosen;
  }

  /// Has tensors live in memory of the best library, and be filled by its threads.
  static void provideMemory() {
    Heap.setReserve(
        bytes -> best().reserve(bytes), part -> best().discard(part), () -> best().relieve());
    Workers.set((size, grain, part) -> best().run(size, grain, part));
  }

  /// Has the kernels' threads give back the working memory that they keep, the calling one at once. No kernel runs on it.
  static void relieve() {
    best().relieve();
  }

  /// Whether all elements of a contiguous region of `int64` lie in `low..high`.
  static boolean areWithin(Strided x, long low, long high) {
    return best().isWithin(x, low, high);
  }

  private static KernelLibrary best() {
    List<KernelLibrary> all = all();
    return all.isEmpty() ? NONE : all.getFirst();
  }

  static Kernel kernel(Operator<?> operator, DType compute, DType result) {
    boolean complex = compute.isComplex() || result.isComplex();
    for (KernelLibrary library : all()) {
      if (!complex || library.knowsComplex()) {
        Kernel kernel = library.kernel(operator, compute, result);
        if (kernel != null) {
          return kernel;
        }
      }
    }
    return complex ? ByParts.kernel(operator, compute, result) : reference(operator);
  }

  /// The reference kernel of an operator, for every type.
  static Kernel reference(Operator<?> operator) {
    return switch (operator.definition()) {
      case Definition.Pointwise<?> pointwise -> new ReferencePointwise(pointwise.formula());
      case Definition.Structured<?> structured -> structured.reference();
      case Definition.Composite<?> _, Definition.View<?> _ ->
          throw new IllegalStateException(operator.name() + " has no kernel");
    };
  }
}
