package taper.cpu.assembler;

/// When a jump is taken, after a comparison. `BELOW` and `ABOVE` compare unsigned numbers.
public enum Condition {
  BELOW(2),
  ABOVE_EQUAL(3),
  EQUAL(4),
  NOT_EQUAL(5),
  BELOW_EQUAL(6),
  ABOVE(7),
  NEGATIVE(8),
  NOT_NEGATIVE(9),
  LESS(12),
  GREATER_EQUAL(13),
  LESS_EQUAL(14),
  GREATER(15);

  final int code;

  Condition(int code) {
    this.code = code;
  }
}
