package taper.nn;

/// A layer of our own that consists of operators, and that nothing but its caller gets hold of the tensors of: what it
/// returns may be released as soon as the next layer has read it.
abstract class Layer extends Module {

  @Override
  protected final boolean letsNothingEscape() {
    return !hasHooks();
  }
}
