package taper.tensor;

/// Placeholder until the catalogue lands.
public final class Operator<A extends Record> {
  private Operator() {}
}
