/// Data sets, samplers and loaders.
@org.jspecify.annotations.NullMarked
module taper.data {
  requires static transitive org.jspecify;
  requires transitive taper.tensor;

  exports taper.data;
}
