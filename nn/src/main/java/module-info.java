/// Layers, their initialisation, and losses.
@org.jspecify.annotations.NullMarked
module taper.nn {
  requires static transitive org.jspecify;
  requires transitive taper.tensor;

  exports taper.nn;
}
