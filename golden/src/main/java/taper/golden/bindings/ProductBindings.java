package taper.golden.bindings;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.tensor.Complex;
import taper.tensor.Linalg;
import taper.tensor.Tensor;

/// Products of matrices and vectors.
public final class ProductBindings {
  private ProductBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.GENERAL);
    table.bind("matmul", "matmul(other)", a -> a.self().matmul(a.tensor(1, "other")));
    table.bind("linalg.matmul", "matmul(other)", a -> a.self().matmul(a.tensor(1, "other")));
    table.bind("__matmul__", "matmul(other)", a -> a.self().matmul(a.tensor(1, "other")));
    table.bind("__rmatmul__", "other.matmul(x)", a -> a.tensor(1, "other").matmul(a.self()));
    table.bind("mm", "mm(other)", a -> a.self().mm(a.tensor(1, "mat2")));
    table.bind("bmm", "bmm(other)", a -> a.self().bmm(a.tensor(1, "mat2")));
    table.bind("mv", "mv(vector)", a -> a.self().mv(a.tensor(1, "vec")));
    table.bind("dot", "dot(other)", a -> a.self().dot(a.tensor(1, "other")));
    table.bind("vdot", "vdot(other)", a -> a.self().vdot(a.tensor(1, "other")));
    table.bind("inner", "inner(other)", a -> a.self().inner(a.tensor(1, "other")));
    table.bind("outer", "outer(other)", a -> a.self().outer(a.tensor(1, "vec2")));
    table.bind("ger", "ger(other)", a -> a.self().ger(a.tensor(1, "vec2")));
    table.bind("kron", "kron(other)", a -> a.self().kron(a.tensor(1, "other")));
    table.bind("trace", "trace()", a -> a.self().trace());
    sums(table);
    table.bind("tensordot", "Tensor.tensordot(a, b, dims)", ProductBindings::tensordot);
    table.bind(
        "einsum", "Tensor.einsum(equation, tensors)", a -> Tensor.einsum(equation(a), operands(a)));
    table.bind(
        "cross",
        "cross(other, dim)",
        a -> {
          Long dim = a.findInteger(2, "dim");
          Tensor other = a.tensor(1, "other");
          return dim == null ? a.self().cross(other) : a.self().cross(other, Math.toIntExact(dim));
        });
    table.bind(
        "linalg.cross",
        "Linalg.cross(a, b, dim)",
        a -> Linalg.cross(a.self(), a.tensor(1, "other"), a.dim(-1, "dim", -1)));
    table.bind(
        "linalg.vecdot",
        "Linalg.vecdot(x, y, dim)",
        a -> Linalg.vecdot(a.self(), a.tensor(1, "y"), a.dim(-1, "dim", -1)));
    table.bind(
        "linalg.multi_dot",
        "Linalg.multiDot(tensors)",
        a -> Linalg.multiDot(a.tensors(0, "tensors").toArray(Tensor[]::new)));
    table.bind(
        "chain_matmul",
        "Tensor.chainMatmul(matrices)",
        a -> Tensor.chainMatmul(a.tensorsFrom(0).toArray(Tensor[]::new)));
    table.bind(
        "linalg.vander",
        "Linalg.vander(x, n)",
        a -> {
          Long n = a.findInteger(-1, "N");
          return n == null ? Linalg.vander(a.self()) : Linalg.vander(a.self(), n);
        });
    table.bind(
        "vander",
        "vander(n, increasing)",
        a -> a.self().vander(a.integer(1, "N", a.self().size(-1)), a.flag(2, "increasing", false)));
  }

  /// A sum with a product, with real or complex factors.
  @FunctionalInterface
  private interface Sum<F> {
    Tensor of(Tensor self, Tensor x, Tensor y, F beta, F alpha);
  }

  private static void sums(Bindings table) {
    sum(table, "addmm", "mat1", "mat2", Tensor::addmm, Tensor::addmm);
    sum(table, "addmv", "mat", "vec", Tensor::addmv, Tensor::addmv);
    sum(table, "addr", "vec1", "vec2", Tensor::addr, Tensor::addr);
    sum(table, "addbmm", "batch1", "batch2", Tensor::addbmm, Tensor::addbmm);
    sum(table, "baddbmm", "batch1", "batch2", Tensor::baddbmm, Tensor::baddbmm);
  }

  private static void sum(
      Bindings table, String name, String x, String y, Sum<Double> real, Sum<Complex> complex) {
    table.bind(
        name,
        "%s(%s, %s, beta, alpha)".formatted(name, x, y),
        a -> {
          Object beta = a.value(-1, "beta");
          Object alpha = a.value(-1, "alpha");
          Tensor first = a.tensor(1, x);
          Tensor second = a.tensor(2, y);
          return beta instanceof Complex || alpha instanceof Complex
              ? complex.of(a.self(), first, second, complex(beta), complex(alpha))
              : real.of(a.self(), first, second, real(beta), real(alpha));
        });
  }

  private static double real(@Nullable Object factor) {
    return switch (factor) {
      case null -> 1;
      case Boolean truth -> truth ? 1 : 0;
      case Number number -> number.doubleValue();
      default -> throw new IllegalArgumentException("no number: " + factor);
    };
  }

  private static Complex complex(@Nullable Object factor) {
    return factor instanceof Complex number ? number : Complex.of(real(factor));
  }

  private static Tensor tensordot(Arguments a) {
    Tensor other = a.tensor(1, "other");
    if (a.value(2, "dims") instanceof List<?> pairs) {
      return Tensor.tensordot(a.self(), other, dims(pairs.get(0)), dims(pairs.get(1)));
    }
    return Tensor.tensordot(a.self(), other, a.dim(2, "dims", 2));
  }

  private static int[] dims(@Nullable Object list) {
    return list instanceof List<?> dims
        ? dims.stream().mapToInt(d -> Math.toIntExact((Long) d)).toArray()
        : new int[] {};
  }

  private static String equation(Arguments a) {
    return a.value(0, "equation") instanceof String text ? text : a.text(1, "equation", "");
  }

  private static List<Tensor> operands(Arguments a) {
    return a.value(0, "operands") instanceof String ? a.tensorsFrom(1) : a.tensors(0, "operands");
  }
}
