package taper.benchmarks.work;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import taper.benchmarks.work.Operators.Window;

/// The kernels that are measured: single operators on sizes that networks have, forward and back.
///
/// @param <T> the library's tensors
public final class Kernels<T> {
  /// A kernel.
  ///
  /// @param flops the floating-point operations in a call, or 0 if it is about memory
  /// @param bytes the bytes that a call must read and write, or 0 if it is about operations
  /// @param setup makes the operands, and what is timed
  public record Kernel(double flops, double bytes, Supplier<Runnable> setup) {}

  private final Operators<T> o;
  private final Map<String, Kernel> all = new LinkedHashMap<>();
  private int seed;

  /// Those of a library. Nothing is computed before one is asked for.
  public Kernels(Operators<T> operators) {
    o = operators;
    products();
    convolutions();
    layers();
    pointwise();
    reductions();
    movement();
    training();
  }

  /// All of them, by name.
  public Map<String, Kernel> all() {
    return all;
  }

  /// A kernel, ready to run.
  ///
  /// @throws IllegalArgumentException if there is none of the name
  public Workload workload(String name) {
    Kernel kernel = all.get(name);
    if (kernel == null) {
      throw new IllegalArgumentException("There is no kernel %s.".formatted(name));
    }
    Runnable body = kernel.setup.get();
    return _ -> {
      body.run();
      return Float.NaN;
    };
  }

  private void add(String name, double flops, double bytes, Supplier<Runnable> setup) {
    all.put(Workloads.KERNEL + name, new Kernel(flops, bytes, setup));
  }

  private T noise(long... shape) {
    return o.floats(Batches.noise(seed++, size(shape)), shape);
  }

  private T indices(int limit, long... shape) {
    return o.integers(Batches.tokens(seed++, size(shape), limit), shape);
  }

  private static int size(long... shape) {
    long size = 1;
    for (long each : shape) {
      size *= each;
    }
    return Math.toIntExact(size);
  }

  private void products() {
    for (int n : new int[] {64, 128, 256, 512, 1024, 2048}) {
      product("matmul-" + n, new long[] {n, n}, new long[] {n, n}, 2.0 * n * n * n, false, false);
    }
    long[] square = {512, 512};
    double flops = 2.0 * 512 * 512 * 512;
    product("matmul-512-tn", square, square, flops, true, false);
    product("matmul-512-nt", square, square, flops, false, true);
    product("matmul-512-tt", square, square, flops, true, true);
    product(
        "matmul-tall-8192x64x64",
        new long[] {8192, 64},
        new long[] {64, 64},
        2.0 * 8192 * 64 * 64,
        false,
        false);
    product(
        "matmul-wide-64x1024x4096",
        new long[] {64, 1024},
        new long[] {1024, 4096},
        2.0 * 64 * 1024 * 4096,
        false,
        false);
    product(
        "matmul-batched-64x64x64x64",
        new long[] {64, 64, 64},
        new long[] {64, 64, 64},
        2.0 * 64 * 64 * 64 * 64,
        false,
        false);
    product(
        "matmul-batched-48x64x32x64-nt",
        new long[] {48, 64, 32},
        new long[] {48, 64, 32},
        2.0 * 48 * 64 * 64 * 32,
        false,
        true);
  }

  private void product(
      String name, long[] a, long[] b, double flops, boolean turnA, boolean turnB) {
    add(
        name,
        flops,
        0,
        () -> {
          T first = turned(noise(a), a.length, turnA);
          T second = turned(noise(b), b.length, turnB);
          return () -> o.run(() -> o.matmul(first, second));
        });
  }

  private T turned(T x, int dims, boolean turn) {
    return turn ? o.transpose(x, dims - 2, dims - 1) : x;
  }

  private void convolutions() {
    convolution("conv2d-3x3", 64, 32, 64, 14, 3, Window.padding(1));
    convolution("conv2d-3x3-64x56", 8, 64, 64, 56, 3, Window.padding(1));
    convolution("conv2d-3x3-256x14", 16, 256, 256, 14, 3, Window.padding(1));
    convolution("conv2d-1x1", 16, 64, 256, 28, 1, Window.padding(0));
    convolution("conv2d-5x5", 32, 32, 64, 14, 5, Window.padding(2));
    convolution("conv2d-7x7-stride2", 4, 3, 64, 224, 7, new Window(2, 3, 1, 1));
    convolution("conv2d-depthwise", 16, 64, 64, 56, 3, new Window(1, 1, 1, 64));
    convolution("conv2d-grouped", 16, 64, 64, 28, 3, new Window(1, 1, 1, 4));
    convolution("conv2d-dilated", 16, 64, 64, 28, 3, new Window(1, 2, 2, 1));
  }

  private void convolution(String name, int n, int in, int out, int side, int size, Window window) {
    int reach = window.dilation() * (size - 1) + 1;
    long result = (side + 2L * window.padding() - reach) / window.stride() + 1;
    long[] x = {n, in, side, side};
    long[] w = {out, in / window.groups(), size, size};
    long[] y = {n, out, result, result};
    double flops = 2.0 * size(y) * w[1] * size * size;
    add(
        name,
        flops,
        0,
        () -> {
          T image = noise(x);
          T weight = noise(w);
          return () -> o.run(() -> o.conv2d(image, weight, window));
        });
    add(
        name + "-input-gradient",
        flops,
        0,
        () -> {
          T image = o.parameter(noise(x));
          T weight = noise(w);
          return o.backward(() -> o.conv2d(image, weight, window), image, noise(y));
        });
    add(
        name + "-weight-gradient",
        flops,
        0,
        () -> {
          T image = noise(x);
          T weight = o.parameter(noise(w));
          return o.backward(() -> o.conv2d(image, weight, window), weight, noise(y));
        });
  }

  private void layers() {
    both("max-pool-2x2", x -> o.maxPool2d(x, 2, 2, 0), new long[] {64, 32, 28, 28}, 64, 32, 14, 14);
    both("max-pool-3x3", x -> o.maxPool2d(x, 3, 2, 1), new long[] {4, 64, 112, 112}, 4, 64, 56, 56);
    withParameters(
        "batch-norm",
        (x, p) -> o.batchNorm(x, p.get(0), p.get(1), p.get(2), p.get(3), true),
        64,
        32,
        64,
        32,
        32);
    withParameters("layer-norm", (x, p) -> o.layerNorm(x, p.get(0), p.get(1)), 256, 4096, 256);
    both("softmax", o::softmax, new long[] {4096, 256}, 4096, 256);
    add(
        "cross-entropy",
        0,
        4.0 * 1024 * 1000,
        () -> {
          T x = noise(1024, 1000);
          T labels = indices(1000, 1024);
          return () -> o.run(() -> o.crossEntropy(x, labels));
        });
    add(
        "cross-entropy-gradient",
        0,
        8.0 * 1024 * 1000,
        () -> {
          T x = o.parameter(noise(1024, 1000));
          T labels = indices(1000, 1024);
          return o.backward(() -> o.crossEntropy(x, labels), x, scalar());
        });
    double table = 4.0 * 30522 * 256;
    double rows = 4.0 * 1024 * 256;
    add(
        "embedding",
        0,
        2 * rows,
        () -> {
          T weight = noise(30522, 256);
          T words = indices(30522, 8, 128);
          return () -> o.run(() -> o.embedding(weight, words));
        });
    add(
        "embedding-gradient",
        0,
        table + 2 * rows,
        () -> {
          T weight = o.parameter(noise(30522, 256));
          T words = indices(30522, 8, 128);
          return o.backward(() -> o.embedding(weight, words), weight, noise(8, 128, 256));
        });
  }

  private T scalar() {
    return o.reshape(o.floats(new float[] {1}, 1));
  }

  private void both(String name, UnaryOperator<T> operator, long[] in, long... out) {
    double bytes = 4.0 * (size(in) + size(out));
    add(
        name,
        0,
        bytes,
        () -> {
          T x = noise(in);
          return () -> o.run(() -> operator.apply(x));
        });
    add(
        name + "-gradient",
        0,
        bytes,
        () -> {
          T x = o.parameter(noise(in));
          return o.backward(() -> operator.apply(x), x, noise(out));
        });
  }

  private void withParameters(
      String name, BiFunction<T, List<T>, T> operator, int width, long... shape) {
    Supplier<List<T>> parameters =
        () ->
            List.of(
                noise(width),
                noise(width),
                o.floats(new float[width], width),
                o.floats(new float[width], width));
    double bytes = 8.0 * size(shape);
    add(
        name,
        0,
        bytes,
        () -> {
          T x = noise(shape);
          List<T> p = parameters.get();
          return () -> o.run(() -> operator.apply(x, p));
        });
    add(
        name + "-gradient",
        0,
        1.5 * bytes,
        () -> {
          T x = o.parameter(noise(shape));
          List<T> p = parameters.get();
          return o.backward(() -> operator.apply(x, p), x, noise(shape));
        });
  }

  private void pointwise() {
    long[] million = {1000, 1000};
    both("relu", o::relu, new long[] {64, 32, 28, 28}, 64, 32, 28, 28);
    both("gelu", o::gelu, million, million);
    pair("add", 12e6, million, million);
    pair("add-row", 8e6, million, 1000);
    pair("add-column", 8e6, million, 1000, 1);
    one("add-scalar", 8e6, x -> o.add(x, 1.5), million);
    one("dropout", 8e6, x -> o.dropout(x, 0.1), million);
    add("randn", 0, 4e6, () -> () -> o.run(() -> o.randn(million)));
    add(
        "add-one-element",
        0,
        0,
        () -> {
          T a = noise(1);
          T b = noise(1);
          return () -> o.run(() -> o.add(a, b));
        });
    add(
        "add-one-element-tracked",
        0,
        0,
        () -> {
          T a = o.parameter(noise(1));
          T b = noise(1);
          return () -> o.track(() -> o.add(a, b));
        });
  }

  private void pair(String name, double bytes, long[] a, long... b) {
    add(
        name,
        0,
        bytes,
        () -> {
          T x = noise(a);
          T y = noise(b);
          return () -> o.run(() -> o.add(x, y));
        });
  }

  private void one(String name, double bytes, UnaryOperator<T> operator, long... shape) {
    add(
        name,
        0,
        bytes,
        () -> {
          T x = noise(shape);
          return () -> o.run(() -> operator.apply(x));
        });
  }

  private void reductions() {
    for (int dim = 0; dim < 3; dim++) {
      int d = dim;
      one("sum-dim" + d, 4.0 * (1 << 20), x -> o.sum(x, d), 128, 64, 128);
      one("mean-dim" + d, 4.0 * (1 << 20), x -> o.mean(x, d), 128, 64, 128);
      one("max-dim" + d, 4.0 * (1 << 20), x -> o.max(x, d), 128, 64, 128);
    }
    one("sum", 4.0 * (1 << 20), o::sum, 128, 64, 128);
  }

  private void movement() {
    for (int dim = 0; dim < 2; dim++) {
      int d = dim;
      add(
          "cat-dim" + d,
          0,
          16e6,
          () -> {
            T a = noise(1000, 1000);
            T b = noise(1000, 1000);
            return () -> o.run(() -> o.cat(a, b, d));
          });
      add(
          "index-select-dim" + d,
          0,
          8e6,
          () -> {
            T x = noise(1000, 1000);
            T index = indices(1000, 1000);
            return () -> o.run(() -> o.indexSelect(x, d, index));
          });
      add(
          "scatter-add-dim" + d,
          0,
          24e6,
          () -> {
            T x = noise(1000, 1000);
            T index = indices(1000, 1000, 1000);
            T source = noise(1000, 1000);
            return () -> o.run(() -> o.scatterAdd(x, d, index, source));
          });
      one("cumsum-dim" + d, 8e6, x -> o.cumsum(x, d), 1000, 1000);
    }
    one("transposed-copy", 8e6, o::transposedCopy, 1000, 1000);
    one("topk-10", 4e6, x -> o.topk(x, 10), 1000, 1000);
    one("sort", 16e6, o::sort, 1000, 1000);
  }

  private void training() {
    // Reads parameter, gradient and two moments, writes three of them.
    add(
        "adamw-25m",
        0,
        7 * 4 * 25e6,
        () -> {
          List<T> parameters = new ArrayList<>();
          for (int i = 0; i < 25; i++) {
            parameters.add(o.parameter(noise(1000, 1000)));
          }
          var update = o.adamW(parameters, 1e-3);
          o.train(
              () -> {
                T sum = o.sum(o.mul(parameters.getFirst(), parameters.getFirst()));
                for (T each : parameters.subList(1, parameters.size())) {
                  sum = o.add(sum, o.sum(o.mul(each, each)));
                }
                return sum;
              },
              update);
          return update::step;
        });
  }
}
