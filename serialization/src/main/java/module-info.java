/// Named tensors in files: reads and writes, without executing anything.
@org.jspecify.annotations.NullMarked
module taper.serialization {
  requires static transitive org.jspecify;
  requires transitive taper.tensor;
  requires tools.jackson.databind;

  exports taper.serialization;
}
