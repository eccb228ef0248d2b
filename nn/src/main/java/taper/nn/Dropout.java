package taper.nn;

import taper.tensor.Tensor;

/// In training mode, sets elements to 0 with probability `p` and divides the others by `1 - p`; otherwise hands its input on.
///
/// - Source: Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov 2014, Dropout: a simple way to prevent neural
///   networks from overfitting, JMLR 15.
public final class Dropout extends Layer {
  private final double p;
  private final boolean inplace;

  /// With probability 0.5.
  public Dropout() {
    this(0.5);
  }

  /// @param p the probability of 0
  public Dropout(double p) {
    this(p, false);
  }

  /// @param p the probability of 0
  /// @param inplace whether the input is overwritten
  public Dropout(double p, boolean inplace) {
    Sizes.probability("Dropout", p);
    this.p = p;
    this.inplace = inplace;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return inplace ? input.dropout_(p, isTraining()) : input.dropout(p, isTraining());
  }

  @Override
  protected String extraRepr() {
    return "p=%s, inplace=%s".formatted(Repr.number(p), Repr.truth(inplace));
  }
}
