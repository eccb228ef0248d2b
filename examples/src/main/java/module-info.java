/// Programs as a user would write them.
@org.jspecify.annotations.NullMarked
module taper.examples {
  requires static org.jspecify;
  requires taper;
}
