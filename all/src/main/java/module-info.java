/// Everything most programs need, behind one `requires taper`.
@org.jspecify.annotations.NullMarked
module taper {
  requires static transitive org.jspecify;
  requires taper.cpu;
  requires taper.lapack;
  requires transitive taper.data;
  requires transitive taper.nn;
  requires transitive taper.optim;
  requires transitive taper.serialization;
  requires transitive taper.tensor;
  requires transitive taper.vision;
}
