package taper.cpu.assembler;

/// A place in the code. Belongs to one assembler, which binds it once.
public final class Label {
  int position = -1;
}
