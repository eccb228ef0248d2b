package taper.golden;

/// A call that Java's types do not allow: a number where a method needs a tensor. Where PyTorch raises at such a call, the
/// compiler refuses it here.
public final class MistypedCall extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Says what does not fit.
  public MistypedCall(String what) {
    super(what);
  }
}
