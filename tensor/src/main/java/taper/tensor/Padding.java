package taper.tensor;

import java.util.List;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferencePadding;

/// Padding of borders.
public sealed interface Padding permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns this tensor with zeros around it.
  ///
  /// @param pad elements before and after the last dimension, then before and after the one before it, and so on;
  ///     negative numbers cut off
  /// @throws ShapeException if there are more pairs than dimensions, or more is cut off than there is
  default Tensor pad(long... pad) {
    return constantPadNd(pad, 0);
  }

  /// Returns this tensor with `value` around it; see [#pad(long...)].
  default Tensor pad(long[] pad, double value) {
    return constantPadNd(pad, value);
  }

  /// Returns this tensor with a border made of its own elements.
  ///
  /// - Shape: with `reflect`, `replicate` and `circular` one, two or three dimensions are padded, and one or two more come
  ///   before them: `[n c *]` or `[c *]`
  /// - Types: any
  ///
  /// @param pad as for [#pad(long...)]
  /// @param mode `constant` (zeros), `reflect` (the edge is a mirror), `replicate` (the edge is repeated) or `circular`
  ///     (the image is repeated)
  /// @throws ShapeException if the border is wider than the image gives
  default Tensor pad(long[] pad, String mode) {
    return Borders.pad(self(), pad, mode);
  }

  /// Returns this tensor with `value` around its last dimensions; see [#pad(long...)].
  ///
  /// - Types: any
  default Tensor constantPadNd(long[] pad, double value) {
    Checks.fits("pad", self().dtype(), value);
    return Operators.CONSTANT_PAD_ND.on(new Constant(Borders.list(pad), value, 0), self());
  }

  /// Returns this complex tensor with `value` around its last dimensions; see [#pad(long...)].
  default Tensor constantPadNd(long[] pad, Complex value) {
    return Operators.CONSTANT_PAD_ND.on(
        new Constant(Borders.list(pad), value.re(), value.im()), self());
  }

  /// A border of one value.
  ///
  /// @param pad elements before and after each dimension, the last one first
  /// @param value the value, or its real part
  /// @param imaginary its imaginary part
  record Constant(List<Long> pad, double value, double imaginary) {}

  /// Where the elements of a border come from.
  enum Edge {
    /// From inside, as in a mirror that stands on the outermost element.
    REFLECT,
    /// From the outermost element.
    REPLICATE,
    /// From the other side.
    CIRCULAR
  }

  /// A border of the image's own elements.
  ///
  /// @param edge where they come from
  /// @param pad elements before and after each dimension, the last one first
  record Border(Edge edge, List<Long> pad) {}

  /// A border, and the size of the image, which does not follow from that of the result when there are none.
  ///
  /// @param border the border
  /// @param sizes the sizes of the image
  record BorderInput(Border border, List<Long> sizes) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("padding");

    static final Operator<Constant> CONSTANT_PAD_ND =
        FAMILY
            .<Constant>structured("constantPadNd", "self[*] -> [*]", ReferencePadding.CONSTANT)
            .shape((a, in) -> Borders.padded("constantPadNd", a.pad(), in))
            .dtypes(DTypes.ANY)
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    Operators.CONSTANT_PAD_ND.on(
                        new Constant(b.attributes().pad().stream().map(p -> -p).toList(), 0, 0),
                        b.grad()))
            .torch("aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor")
            .sample(new Constant(List.of(1L, 2L), 0, 0), "f32[2 3]")
            .sample(new Constant(List.of(1L, 0L, 0L, 2L, 1L, 1L), 3, 0), "f32[2 3 4]")
            .sample(new Constant(List.of(-1L, 2L, 1L, -2L), 1, 0), "f32[2 3 4]")
            .sample(new Constant(List.of(1L, 1L), 7, 0), "i64[3]")
            .sample(new Constant(List.of(), 7, 0), "f32[]")
            .sample(new Constant(List.of(2L, 1L), 7, 0), "f32[2 0]")
            .rejects(
                new Constant(List.of(1L, 1L, 1L, 1L), 0, 0),
                "f32[3]",
                "constantPadNd: pad must have a pair for each of at most 1 dimensions, but is [1,"
                    + " 1, 1, 1].")
            .rejects(
                new Constant(List.of(-2L, -2L), 0, 0),
                "f32[3]",
                "constantPadNd: the result must not have a negative size, but pad [-2, -2] makes"
                    + " dimension 0 of shape [3] -1.")
            .rejects(
                new Constant(List.of(Long.MIN_VALUE, Long.MAX_VALUE), 0, 0),
                "f32[3]",
                "constantPadNd: no more must be cut off than there is, but pad"
                    + " [-9223372036854775808, 9223372036854775807] cuts more than the 3 elements of"
                    + " dimension 0 of shape [3].")
            .rejects(
                new Constant(List.of(1L << 31, 0L), 0, 0),
                "f32[0 3]",
                "constantPadNd: each dimension of the result must have fewer than 2^31 elements, but"
                    + " pad [2147483648, 0] makes shape [0, 2147483651] of [0, 3].")
            .declare();

    static final Operator<Border> REFLECTION_PAD =
        border("reflectionPad", Edge.REFLECT, "aten::reflection_pad", "SymInt");

    static final Operator<Border> REPLICATION_PAD =
        border("replicationPad", Edge.REPLICATE, "aten::replication_pad", "SymInt");

    static final Operator<Border> CIRCULAR_PAD =
        border("circularPad", Edge.CIRCULAR, "aten::_pad_circular", "");

    static final Operator<BorderInput> BORDER_GRADIENT =
        FAMILY
            .<BorderInput>structured(
                "borderGradient", "grad[*] -> [*]", ReferencePadding.BORDER_GRADIENT)
            .shape(Borders::restored)
            .dtypes(DTypes.SAME.complexByParts())
            .gradient(
                "grad",
                Keeps.NOTHING,
                b -> of(b.attributes().border().edge()).on(b.attributes().border(), b.grad()))
            .own()
            .sample(
                new BorderInput(new Border(Edge.REFLECT, List.of(2L, 1L)), List.of(2L, 3L)),
                "f32[2 6]")
            .sample(
                new BorderInput(
                    new Border(Edge.CIRCULAR, List.of(1L, 1L, 0L, 2L)), List.of(1L, 2L, 3L)),
                "f32[1 4 5]")
            .rejects(
                new BorderInput(new Border(Edge.REFLECT, List.of(2L, 1L)), List.of(2L, 3L)),
                "f32[2 5]",
                "borderGradient: grad must have the padded shape [2, 6], but has [2, 5].")
            .declare();

    private static Operator<Border> border(String name, Edge edge, String torch, String type) {
      var declaration =
          FAMILY
              .<Border>structured(name, "self[*] -> [*]", ReferencePadding.BORDER_OF)
              .shape((a, in) -> Borders.bordered(name, a, in))
              .dtypes(DTypes.ANY)
              .gradient(
                  "self",
                  Keeps.NOTHING,
                  b ->
                      Operators.BORDER_GRADIENT.on(
                          new BorderInput(b.attributes(), Borders.list(b.sizes("self"))), b.grad()))
              .sample(new Border(edge, List.of(2L, 1L)), "f32[2 3]")
              .sample(new Border(edge, List.of(1L, 1L, 0L, 2L)), "f32[2 3 3 4]")
              .sample(new Border(edge, List.of(1L, 0L, 0L, 1L, 1L, 1L)), "f32[1 2 2 3]")
              .sample(new Border(edge, List.of(-1L, 1L)), "f32[2 3]")
              .rejects(
                  new Border(edge, List.of(1L, 1L)),
                  "f32[4]",
                  "%s: 2 or 3 dimensions are needed to pad the last 1, but self has shape [4]."
                      .formatted(name))
              .rejects(
                  new Border(edge, List.of(4L, 1L)),
                  "f32[1 0]",
                  "%s: the padded dimensions must not be empty, but self has shape [1, 0]."
                      .formatted(name));
      if (type.isEmpty()) {
        return declaration
            .torch("aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor")
            .declare();
      }
      for (int d = 1; d <= 3; d++) {
        declaration.torch(
            "%s%dd(Tensor self, %s[%d] padding) -> Tensor".formatted(torch, d, type, 2 * d));
      }
      return declaration.declare();
    }

    static Operator<Border> of(Edge edge) {
      return switch (edge) {
        case REFLECT -> REFLECTION_PAD;
        case REPLICATE -> REPLICATION_PAD;
        case CIRCULAR -> CIRCULAR_PAD;
      };
    }

    private Operators() {}
  }
}
