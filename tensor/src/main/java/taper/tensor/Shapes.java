package taper.tensor;

import java.util.Arrays;
import java.util.List;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Strided;

/// Views and rearrangements: the same elements in another shape.
public sealed interface Shapes permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the same memory with other sizes; one size may be -1 and follows from the rest.
  ///
  /// @throws ShapeException if the number of elements differs, or the strides do not allow it
  default Tensor view(long... sizes) {
    long[] full = Views.inferred("view", sizes, self().numel(), self().sizes());
    if (Views.reshaped(self().data(), full) == null) {
      throw new ShapeException(
          "view: the elements must lie densely enough to be seen as %s, but the tensor has shape %s and strides %s. Use reshape."
              .formatted(Arrays.toString(full), self().shape(), Arrays.toString(self().strides())));
    }
    return Operators.VIEW.on(new Sizes(full), self());
  }

  /// Returns the elements with other sizes: a view where possible, else a copy. One size may be -1.
  default Tensor reshape(long... sizes) {
    long[] full = Views.inferred("reshape", sizes, self().numel(), self().sizes());
    return Views.reshaped(self().data(), full) != null ? view(full) : self().clone().view(full);
  }

  /// Returns a view in which dimensions of size 1 are repeated up to `sizes`; -1 keeps a size.
  default Tensor expand(long... sizes) {
    long[] own = self().sizes();
    if (Arrays.equals(own, sizes)) {
      return self();
    }
    int lead = sizes.length - own.length;
    long[] full = sizes.clone();
    boolean fits = lead >= 0;
    for (int d = 0; fits && d < full.length; d++) {
      if (full[d] == -1 && d >= lead) {
        full[d] = own[d - lead];
      }
      fits = full[d] >= 0 && (d < lead || own[d - lead] == full[d] || own[d - lead] == 1);
    }
    if (!fits) {
      throw new ShapeException(
          "expand: only dimensions of size 1 and new leading ones can be repeated, but shape %s was asked to become %s."
              .formatted(Arrays.toString(own), Arrays.toString(sizes)));
    }
    return Operators.EXPAND.on(new Sizes(full), self());
  }

  /// Returns a view with two dimensions exchanged.
  default Tensor transpose(int dim0, int dim1) {
    int rank = self().dim();
    return Operators.TRANSPOSE.on(
        new Transpose(Checks.dim("transpose", dim0, rank), Checks.dim("transpose", dim1, rank)),
        self());
  }

  /// Returns this tensor if it is contiguous, else a contiguous copy.
  default Tensor contiguous() {
    return self().isContiguous() ? self() : self().clone();
  }

  /// Returns a view with any sizes and strides, which begins `offset` elements after the beginning of the memory.
  ///
  /// @param strides in elements
  /// @param offset in elements
  default Tensor asStrided(long[] sizes, long[] strides, long offset) {
    return Operators.AS_STRIDED.on(new AsStrided(sizes, strides, offset), self());
  }

  /// The part of `grad`, a gradient of the base, that belongs to the view.
  static Tensor gatherGeometry(Tensor grad, Strided base, Strided view) {
    return grad.contiguous().asStrided(view.sizes(), view.strides(), offset(base, view));
  }

  /// A gradient of the base that is `grad` where the view looks, and 0 elsewhere.
  static Tensor scatterGeometry(Tensor grad, Strided base, Strided view) {
    return replaceGeometry(Tensor.zeros(grad.dtype(), base.sizes()), grad, base, view);
  }

  /// `whole` with `part` in the place where the view looks.
  static Tensor replaceGeometry(Tensor whole, Tensor part, Strided base, Strided view) {
    return Operators.AS_STRIDED_SCATTER.on(
        new AsStrided(view.sizes(), view.strides(), offset(base, view)), whole, part);
  }

  private static long offset(Strided base, Strided view) {
    return (view.byteOffset() - base.byteOffset()) / view.dtype().byteSize();
  }

  /// Sizes to view or expand to.
  ///
  /// @param sizes the sizes of the result
  record Sizes(long[] sizes) {}

  /// Two dimensions, counted from 0.
  ///
  /// @param dim0 one
  /// @param dim1 the other
  record Transpose(int dim0, int dim1) {}

  /// A geometry.
  ///
  /// @param sizes the sizes
  /// @param strides the strides, in elements
  /// @param offset from the beginning of the memory, in elements
  record AsStrided(long[] sizes, long[] strides, long offset) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("shapes");

    static final Operator<Sizes> VIEW =
        FAMILY
            .<Sizes>view(
                "view",
                (a, x) -> {
                  long[] strides = Views.reshaped(x, a.sizes());
                  assert strides != null;
                  return x.view(0, a.sizes(), strides);
                })
            .gradient("self", Keeps.NOTHING, b -> b.grad().reshape(b.sizes("self")))
            .torch("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)")
            .sample(new Sizes(new long[] {6, 2}), "f32[3 4]")
            .declare();

    static final Operator<Sizes> EXPAND =
        FAMILY
            .<Sizes>view("expand", (a, x) -> Views.expand(x, a.sizes()))
            .gradient("self", Keeps.NOTHING, b -> b.grad().sumToSize(b.sizes("self")))
            .torch("aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)")
            .sample(new Sizes(new long[] {2, 3, 4}), "f32[3 1]")
            .declare();

    static final Operator<Transpose> TRANSPOSE =
        FAMILY
            .<Transpose>view(
                "transpose",
                (a, x) -> {
                  long[] sizes = x.sizes();
                  long[] strides = x.strides();
                  if (sizes.length > 0) {
                    sizes[a.dim0()] = x.size(a.dim1());
                    sizes[a.dim1()] = x.size(a.dim0());
                    strides[a.dim0()] = x.stride(a.dim1());
                    strides[a.dim1()] = x.stride(a.dim0());
                  }
                  return x.view(0, sizes, strides);
                })
            .gradient(
                "self",
                Keeps.NOTHING,
                b -> b.grad().transpose(b.attributes().dim0(), b.attributes().dim1()))
            .torch("aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)")
            .sample(new Transpose(0, 1), "f32[3 4]")
            .declare();

    static final Operator<AsStrided> AS_STRIDED =
        FAMILY
            .<AsStrided>view("asStrided", (a, x) -> x.view(a.offset(), a.sizes(), a.strides()))
            .gradient(
                "self",
                Keeps.NOTHING,
                b -> asStridedGradient(b.grad(), b.sizes("self"), b.attributes()))
            .torch("aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)")
            .sample(new AsStrided(new long[] {2, 2}, new long[] {4, 1}, 1), "f32[3 4]")
            .declare();

    static final Operator<AsStrided> AS_STRIDED_SCATTER =
        FAMILY
            .<AsStrided>structured(
                "asStridedScatter",
                "self[*a], source[*b] -> [*a]",
                (attributes, out, in) -> {
                  var a = (AsStrided) attributes;
                  Copies.raw(out[0], in[0]);
                  addInto(out[0].view(a.offset(), a.sizes(), a.strides()), in[1], false);
                })
            .dtypes(DTypes.SAME)
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    Operators.AS_STRIDED_SCATTER.on(
                        b.attributes(),
                        b.grad(),
                        Tensor.zeros(b.grad().dtype(), b.sizes("source"))))
            .gradient(
                "source",
                Keeps.NOTHING,
                b ->
                    b.grad()
                        .contiguous()
                        .asStrided(
                            b.attributes().sizes(),
                            b.attributes().strides(),
                            b.attributes().offset()))
            .torch("aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor")
            .sample(new AsStrided(new long[] {2, 2}, new long[] {4, 1}, 1), "f32[3 4], f32[2 2]")
            .declare();

    /// The gradient of a contiguous tensor of `sizes` by a view that may see elements several times.
    private static Tensor asStridedGradient(Tensor grad, long[] sizes, AsStrided a) {
      return AS_STRIDED_ADD.on(a, Tensor.zeros(grad.dtype(), sizes), grad);
    }

    static final Operator<AsStrided> AS_STRIDED_ADD =
        FAMILY
            .<AsStrided>structured(
                "asStridedAdd",
                "self[*a], source[*b] -> [*a]",
                (attributes, out, in) -> {
                  var a = (AsStrided) attributes;
                  Copies.raw(out[0], in[0]);
                  addInto(out[0].view(a.offset(), a.sizes(), a.strides()), in[1], true);
                })
            .dtypes(DTypes.SAME)
            .gradient("self", Keeps.NOTHING, Backward::grad)
            .gradient(
                "source",
                Keeps.NOTHING,
                b ->
                    b.grad()
                        .contiguous()
                        .asStrided(
                            b.attributes().sizes(),
                            b.attributes().strides(),
                            b.attributes().offset()))
            .own()
            .sample(new AsStrided(new long[] {2, 2}, new long[] {4, 1}, 1), "f32[3 4], f32[2 2]")
            .declare();

    private static void addInto(Strided to, Strided from, boolean add) {
      if (!add) {
        Copies.raw(to, from);
        return;
      }
      var out = new Elements(to);
      var in = new Elements(from);
      for (long i = 0; i < in.numel(); i++) {
        out.set(i, out.at(i) + in.at(i));
      }
    }

    static List<Operator<?>> all() {
      return FAMILY.operators();
    }

    private Operators() {}
  }
}
