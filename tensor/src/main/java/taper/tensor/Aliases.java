package taper.tensor;

/// PyTorch's second names: each method does what the one it names does.
public sealed interface Aliases permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The same as [Tensor#abs()].
  default Tensor absolute() {
    return self().abs();
  }

  /// The same as [Tensor#abs_()].
  default Tensor absolute_() {
    return self().abs_();
  }

  /// The same as [Tensor#acos()].
  default Tensor arccos() {
    return self().acos();
  }

  /// The same as [Tensor#acos_()].
  default Tensor arccos_() {
    return self().acos_();
  }

  /// The same as [Tensor#acosh()].
  default Tensor arccosh() {
    return self().acosh();
  }

  /// The same as [Tensor#acosh_()].
  default Tensor arccosh_() {
    return self().acosh_();
  }

  /// The same as [Tensor#asin()].
  default Tensor arcsin() {
    return self().asin();
  }

  /// The same as [Tensor#asin_()].
  default Tensor arcsin_() {
    return self().asin_();
  }

  /// The same as [Tensor#asinh()].
  default Tensor arcsinh() {
    return self().asinh();
  }

  /// The same as [Tensor#asinh_()].
  default Tensor arcsinh_() {
    return self().asinh_();
  }

  /// The same as [Tensor#atan()].
  default Tensor arctan() {
    return self().atan();
  }

  /// The same as [Tensor#atan_()].
  default Tensor arctan_() {
    return self().atan_();
  }

  /// The same as [Tensor#atanh()].
  default Tensor arctanh() {
    return self().atanh();
  }

  /// The same as [Tensor#atanh_()].
  default Tensor arctanh_() {
    return self().atanh_();
  }

  /// The same as [Tensor#neg()].
  default Tensor negative() {
    return self().neg();
  }

  /// The same as [Tensor#neg_()].
  default Tensor negative_() {
    return self().neg_();
  }

  /// The same as [Tensor#trunc()].
  default Tensor fix() {
    return self().trunc();
  }

  /// The same as [Tensor#trunc_()].
  default Tensor fix_() {
    return self().trunc_();
  }

  /// The same as [Tensor#atan2(Tensor)].
  default Tensor arctan2(Tensor other) {
    return self().atan2(other);
  }

  /// The same as [Tensor#atan2_(Tensor)].
  default Tensor arctan2_(Tensor other) {
    return self().atan2_(other);
  }

  /// The same as [Tensor#sub(Tensor)].
  default Tensor subtract(Tensor other) {
    return self().sub(other);
  }

  /// The same as [Tensor#sub(double)].
  default Tensor subtract(double other) {
    return self().sub(other);
  }

  /// The same as [Tensor#sub(long)].
  default Tensor subtract(long other) {
    return self().sub(other);
  }

  /// The same as [Tensor#sub_(Tensor)].
  default Tensor subtract_(Tensor other) {
    return self().sub_(other);
  }

  /// The same as [Tensor#sub_(double)].
  default Tensor subtract_(double other) {
    return self().sub_(other);
  }

  /// The same as [Tensor#sub_(long)].
  default Tensor subtract_(long other) {
    return self().sub_(other);
  }

  /// The same as [Tensor#mul(Tensor)].
  default Tensor multiply(Tensor other) {
    return self().mul(other);
  }

  /// The same as [Tensor#mul(double)].
  default Tensor multiply(double other) {
    return self().mul(other);
  }

  /// The same as [Tensor#mul(long)].
  default Tensor multiply(long other) {
    return self().mul(other);
  }

  /// The same as [Tensor#mul_(Tensor)].
  default Tensor multiply_(Tensor other) {
    return self().mul_(other);
  }

  /// The same as [Tensor#mul_(double)].
  default Tensor multiply_(double other) {
    return self().mul_(other);
  }

  /// The same as [Tensor#mul_(long)].
  default Tensor multiply_(long other) {
    return self().mul_(other);
  }

  /// The same as [Tensor#div(Tensor)].
  default Tensor divide(Tensor other) {
    return self().div(other);
  }

  /// The same as [Tensor#div(double)].
  default Tensor divide(double other) {
    return self().div(other);
  }

  /// The same as [Tensor#div(long)].
  default Tensor divide(long other) {
    return self().div(other);
  }

  /// The same as [Tensor#div_(Tensor)].
  default Tensor divide_(Tensor other) {
    return self().div_(other);
  }

  /// The same as [Tensor#div_(double)].
  default Tensor divide_(double other) {
    return self().div_(other);
  }

  /// The same as [Tensor#div_(long)].
  default Tensor divide_(long other) {
    return self().div_(other);
  }

  /// The same as [Tensor#div(Tensor)].
  default Tensor trueDivide(Tensor other) {
    return self().div(other);
  }

  /// The same as [Tensor#div(double)].
  default Tensor trueDivide(double other) {
    return self().div(other);
  }

  /// The same as [Tensor#div(long)].
  default Tensor trueDivide(long other) {
    return self().div(other);
  }

  /// The same as [Tensor#div_(Tensor)].
  default Tensor trueDivide_(Tensor other) {
    return self().div_(other);
  }

  /// The same as [Tensor#div_(double)].
  default Tensor trueDivide_(double other) {
    return self().div_(other);
  }

  /// The same as [Tensor#div_(long)].
  default Tensor trueDivide_(long other) {
    return self().div_(other);
  }

  /// The same as [Tensor#gt(Tensor)].
  default Tensor greater(Tensor other) {
    return self().gt(other);
  }

  /// The same as [Tensor#gt(double)].
  default Tensor greater(double other) {
    return self().gt(other);
  }

  /// The same as [Tensor#gt(long)].
  default Tensor greater(long other) {
    return self().gt(other);
  }

  /// The same as [Tensor#gt_(Tensor)].
  default Tensor greater_(Tensor other) {
    return self().gt_(other);
  }

  /// The same as [Tensor#gt_(double)].
  default Tensor greater_(double other) {
    return self().gt_(other);
  }

  /// The same as [Tensor#gt_(long)].
  default Tensor greater_(long other) {
    return self().gt_(other);
  }

  /// The same as [Tensor#ge(Tensor)].
  default Tensor greaterEqual(Tensor other) {
    return self().ge(other);
  }

  /// The same as [Tensor#ge(double)].
  default Tensor greaterEqual(double other) {
    return self().ge(other);
  }

  /// The same as [Tensor#ge(long)].
  default Tensor greaterEqual(long other) {
    return self().ge(other);
  }

  /// The same as [Tensor#ge_(Tensor)].
  default Tensor greaterEqual_(Tensor other) {
    return self().ge_(other);
  }

  /// The same as [Tensor#ge_(double)].
  default Tensor greaterEqual_(double other) {
    return self().ge_(other);
  }

  /// The same as [Tensor#ge_(long)].
  default Tensor greaterEqual_(long other) {
    return self().ge_(other);
  }

  /// The same as [Tensor#lt(Tensor)].
  default Tensor less(Tensor other) {
    return self().lt(other);
  }

  /// The same as [Tensor#lt(double)].
  default Tensor less(double other) {
    return self().lt(other);
  }

  /// The same as [Tensor#lt(long)].
  default Tensor less(long other) {
    return self().lt(other);
  }

  /// The same as [Tensor#lt_(Tensor)].
  default Tensor less_(Tensor other) {
    return self().lt_(other);
  }

  /// The same as [Tensor#lt_(double)].
  default Tensor less_(double other) {
    return self().lt_(other);
  }

  /// The same as [Tensor#lt_(long)].
  default Tensor less_(long other) {
    return self().lt_(other);
  }

  /// The same as [Tensor#le(Tensor)].
  default Tensor lessEqual(Tensor other) {
    return self().le(other);
  }

  /// The same as [Tensor#le(double)].
  default Tensor lessEqual(double other) {
    return self().le(other);
  }

  /// The same as [Tensor#le(long)].
  default Tensor lessEqual(long other) {
    return self().le(other);
  }

  /// The same as [Tensor#le_(Tensor)].
  default Tensor lessEqual_(Tensor other) {
    return self().le_(other);
  }

  /// The same as [Tensor#le_(double)].
  default Tensor lessEqual_(double other) {
    return self().le_(other);
  }

  /// The same as [Tensor#le_(long)].
  default Tensor lessEqual_(long other) {
    return self().le_(other);
  }

  /// The same as [Tensor#ne(Tensor)].
  default Tensor notEqual(Tensor other) {
    return self().ne(other);
  }

  /// The same as [Tensor#ne(double)].
  default Tensor notEqual(double other) {
    return self().ne(other);
  }

  /// The same as [Tensor#ne(long)].
  default Tensor notEqual(long other) {
    return self().ne(other);
  }

  /// The same as [Tensor#ne_(Tensor)].
  default Tensor notEqual_(Tensor other) {
    return self().ne_(other);
  }

  /// The same as [Tensor#ne_(double)].
  default Tensor notEqual_(double other) {
    return self().ne_(other);
  }

  /// The same as [Tensor#ne_(long)].
  default Tensor notEqual_(long other) {
    return self().ne_(other);
  }

  /// The same as [Tensor#clamp(double, double)].
  default Tensor clip(double min, double max) {
    return self().clamp(min, max);
  }

  /// The same as [Tensor#clamp(long, long)].
  default Tensor clip(long min, long max) {
    return self().clamp(min, max);
  }

  /// The same as [Tensor#clamp_(double, double)].
  default Tensor clip_(double min, double max) {
    return self().clamp_(min, max);
  }
}
