/// The comparison of Taper's results with those that PyTorch wrote down.
@org.jspecify.annotations.NullMarked
module taper.golden {
  requires static transitive org.jspecify;
  requires transitive taper.tensor;
  requires taper.serialization;
  requires tools.jackson.databind;

  exports taper.golden;
}
