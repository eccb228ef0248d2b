package taper.cpu.assembler;

/// What the prefix of a vector instruction says.
///
/// @param map the opcode map: 1 is `0F`, 2 is `0F38`, 3 is `0F3A`
/// @param prefix the mandatory prefix: 0 none, 1 `66`, 2 `F3`, 3 `F2`
/// @param vexW the W bit under VEX, -1 if there is no such form
/// @param evexW the W bit under EVEX, -1 if there is no such form
/// @param element the size of an element in bytes
/// @param tuple how the displacement of a memory operand is scaled under EVEX
record Form(int map, int prefix, int vexW, int evexW, int element, Tuple tuple) {

  /// The unit of short EVEX displacements (table 2-34 of the manual).
  enum Tuple {
    FULL,
    HALF,
    QUARTER,
    EIGHTH,
    ELEMENT
  }

  static final Form PS = new Form(1, 0, 0, 0, 4, Tuple.FULL);
  static final Form PD = new Form(1, 1, 0, 1, 8, Tuple.FULL);
  static final Form SS = new Form(1, 2, 0, 0, 4, Tuple.ELEMENT);
  static final Form SD = new Form(1, 3, 0, 1, 8, Tuple.ELEMENT);
  static final Form D = new Form(1, 1, 0, 0, 4, Tuple.FULL);
  static final Form D_F3 = new Form(1, 2, 0, 0, 4, Tuple.FULL);
  static final Form D_F2 = new Form(1, 3, 0, 0, 4, Tuple.FULL);
  static final Form Q = new Form(1, 1, 0, 1, 8, Tuple.FULL);
  static final Form Q_F3 = new Form(1, 2, 0, 1, 8, Tuple.FULL);
  static final Form PS2 = new Form(2, 1, 0, 0, 4, Tuple.FULL);
  static final Form PD2 = new Form(2, 1, 1, 1, 8, Tuple.FULL);
  static final Form F3_2 = new Form(2, 2, 0, 0, 4, Tuple.FULL);
  static final Form PS3 = new Form(3, 1, 0, 0, 4, Tuple.FULL);
  static final Form PD3 = new Form(3, 1, 1, 1, 8, Tuple.FULL);

  Form tuple(Tuple other) {
    return new Form(map, prefix, vexW, evexW, element, other);
  }

  Form half() {
    return tuple(Tuple.HALF);
  }

  Form quarter() {
    return tuple(Tuple.QUARTER);
  }

  Form eighth() {
    return tuple(Tuple.EIGHTH);
  }

  /// Memory operands are single elements of `bytes` bytes.
  Form element(int bytes) {
    return new Form(map, prefix, vexW, evexW, bytes, Tuple.ELEMENT);
  }

  Form vexOnly() {
    return new Form(map, prefix, vexW, -1, element, tuple);
  }

  Form evexOnly() {
    return new Form(map, prefix, -1, evexW, element, tuple);
  }

  /// W is 0 under VEX, whatever it is under EVEX.
  Form vexW0() {
    return new Form(map, prefix, 0, evexW, element, tuple);
  }

  int scale(int bits, boolean broadcast) {
    return broadcast || tuple == Tuple.ELEMENT ? element : bits / 8 >> tuple.ordinal();
  }
}
