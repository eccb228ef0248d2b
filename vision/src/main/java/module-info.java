/// Image data sets, transforms and models.
@org.jspecify.annotations.NullMarked
module taper.vision {
  requires static transitive org.jspecify;
  requires transitive taper.data;
  requires transitive taper.nn;

  exports taper.vision;
  exports taper.vision.models;

  opens taper.vision.models to
      taper.nn;
}
