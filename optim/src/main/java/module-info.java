/// Optimizers and learning-rate schedules. They take parameters, not modules.
@org.jspecify.annotations.NullMarked
module taper.optim {
  requires static transitive org.jspecify;
  requires transitive taper.tensor;

  exports taper.optim;
}
