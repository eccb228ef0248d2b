/// Image data sets and transforms.
@org.jspecify.annotations.NullMarked
module taper.vision {
  requires static transitive org.jspecify;
  requires transitive taper.data;
  requires transitive taper.nn;

  exports taper.vision;
}
