package taper.golden.bindings;

import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.tensor.Tensor;

/// Complex numbers.
public final class ComplexBindings {
  private ComplexBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.ELEMENTWISE);
    table.bind("real", "real()", a -> a.self().real());
    table.bind("imag", "imag()", a -> a.self().imag());
    table.bind("view_as_real", "viewAsReal()", a -> a.self().viewAsReal());
    table.bind("view_as_complex", "viewAsComplex()", a -> a.self().viewAsComplex());
    table
        .bind("conj", "conj()", a -> a.self().conj())
        .note("conjugates at once; PyTorch puts it off in a view");
    table.bind("conj_physical", "conjPhysical()", a -> a.self().conjPhysical());
    table.bind("resolve_conj", "resolveConj()", a -> a.self().resolveConj());
    table.bind("resolve_neg", "resolveNeg()", a -> a.self().resolveNeg());
    table.bind("is_conj", "isConj()", a -> a.self().isConj()).note("always false");
    table.bind("is_neg", "isNeg()", a -> a.self().isNeg()).note("always false");
    table.bind("is_complex", "isComplex()", a -> a.self().isComplex());
    table.bind("is_floating_point", "isFloatingPoint()", a -> a.self().isFloatingPoint());
    table.bind("chalf", "toComplex32()", a -> a.self().toComplex32());
    table.bind("isreal", "isreal()", a -> a.self().isreal());
    table.bind("H", "H()", a -> a.self().H());
    table.bind("mH", "mH()", a -> a.self().mH());
    table.bind("adjoint", "adjoint()", a -> a.self().adjoint());
    table.bind("angle", "angle()", a -> a.self().angle());
    table.bind("sgn", "sgn()", a -> a.self().sgn());
    table.bind(
        "complex",
        "Tensor.complex(real, imag)",
        a -> Tensor.complex(a.self(), a.operand(1, "imag")));
    table.bind(
        "polar", "Tensor.polar(abs, angle)", a -> Tensor.polar(a.self(), a.operand(1, "angle")));
  }
}
