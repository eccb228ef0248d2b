/// The command line.
@org.jspecify.annotations.NullMarked
module taper.cli {
  requires static transitive org.jspecify;
  requires taper.cpu;
  requires taper.data;
  requires taper.golden;
  requires taper.nn;
  requires taper.optim;
  requires taper.serialization;
  requires taper.tensor;
  requires taper.testing;
  requires taper.vision;
  requires info.picocli;
  requires tools.jackson.databind;

  opens taper.cli to
      info.picocli;
}
