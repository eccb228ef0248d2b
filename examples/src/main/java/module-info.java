/// Programs as a user would write them; not null-marked, as most users' programs are not.
module taper.examples {
  requires taper;
}
