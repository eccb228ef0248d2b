/// Checks for operators, gradients and layers, for our tests and yours.
@org.jspecify.annotations.NullMarked
module taper.testing {
  requires static transitive org.jspecify;
  requires transitive taper.nn;
  requires transitive taper.tensor;

  exports taper.testing;
  exports taper.testing.fuzz;
}
