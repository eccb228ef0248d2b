package taper.tensor;

import taper.tensor.internal.Context;

/// The type of the elements of a tensor.
///
/// The names are PyTorch's. `BFLOAT16` and `FLOAT16` are storage types: arithmetic on them is done in
/// `float32` and rounded to nearest even when it is stored.
public enum DType {
  /// 32-bit IEEE 754 floating point, the default.
  FLOAT32("float32", 4, Kind.FLOATING),
  /// 64-bit IEEE 754 floating point.
  FLOAT64("float64", 8, Kind.FLOATING),
  /// The upper half of a `float32`: 8 bits of exponent, 7 of fraction.
  BFLOAT16("bfloat16", 2, Kind.FLOATING),
  /// IEEE 754 half precision: 5 bits of exponent, 10 of fraction.
  FLOAT16("float16", 2, Kind.FLOATING),
  /// 64-bit signed integer, the type of indices and labels.
  INT64("int64", 8, Kind.INTEGRAL),
  /// 32-bit signed integer.
  INT32("int32", 4, Kind.INTEGRAL),
  /// 16-bit signed integer.
  INT16("int16", 2, Kind.INTEGRAL),
  /// 8-bit signed integer.
  INT8("int8", 1, Kind.INTEGRAL),
  /// 8-bit unsigned integer, the type of images.
  UINT8("uint8", 1, Kind.INTEGRAL),
  /// True or false, stored as the bytes 1 and 0.
  BOOL("bool", 1, Kind.BOOLEAN),
  /// A complex number of two `float32`: the real part, then the imaginary one.
  COMPLEX64("complex64", 8, Kind.COMPLEX),
  /// A complex number of two `float64`: the real part, then the imaginary one.
  COMPLEX128("complex128", 16, Kind.COMPLEX),
  /// A complex number of two `float16`, a storage type like them.
  COMPLEX32("complex32", 4, Kind.COMPLEX);

  private enum Kind {
    BOOLEAN,
    INTEGRAL,
    FLOATING,
    COMPLEX
  }

  private final String torchName;
  private final int byteSize;
  private final Kind kind;

  DType(String torchName, int byteSize, Kind kind) {
    this.torchName = torchName;
    this.byteSize = byteSize;
    this.kind = kind;
  }

  /// The floating type, on this thread, of new tensors whose type nobody names, and of whole numbers that are divided:
  /// `FLOAT32`, unless [#withDefault(DType)] says otherwise.
  public static DType defaultFloating() {
    return Context.current().defaultDtype;
  }

  /// Makes `dtype` the default on this thread until the guard is closed: `try (var _ = DType.withDefault(FLOAT64))`.
  ///
  /// @throws DTypeException if it is no floating type
  public static Guard withDefault(DType dtype) {
    if (!dtype.isFloatingPoint()) {
      throw new DTypeException(
          "withDefault: the default dtype must be a floating one, but is %s.".formatted(dtype));
    }
    return Setting.of("withDefault", Setting.Mode.DTYPE, dtype);
  }

  /// The size of one element, in bytes.
  public int byteSize() {
    return byteSize;
  }

  /// Whether the values are floating-point numbers, of any width.
  public boolean isFloatingPoint() {
    return kind == Kind.FLOATING;
  }

  /// Whether the values are complex numbers.
  public boolean isComplex() {
    return kind == Kind.COMPLEX;
  }

  /// Whether tensors of this type have gradients: floating-point and complex ones.
  public boolean isDifferentiable() {
    return kind.ordinal() >= Kind.FLOATING.ordinal();
  }

  /// The type of the real and imaginary parts of a complex type; any other type is its own.
  public DType toReal() {
    return switch (this) {
      case COMPLEX32 -> FLOAT16;
      case COMPLEX64 -> FLOAT32;
      case COMPLEX128 -> FLOAT64;
      default -> this;
    };
  }

  /// The complex type for values of this type: `COMPLEX128` for `FLOAT64`, `COMPLEX32` for `FLOAT16`, `COMPLEX64` for all
  /// others; a complex type is its own.
  public DType toComplex() {
    return switch (this) {
      case FLOAT64, COMPLEX128 -> COMPLEX128;
      case FLOAT16, COMPLEX32 -> COMPLEX32;
      default -> COMPLEX64;
    };
  }

  /// Whether the values are whole numbers; `BOOL` is not counted.
  public boolean isIntegral() {
    return kind == Kind.INTEGRAL;
  }

  /// Whether this is one of the 16-bit floating types, which compute in `FLOAT32`.
  public boolean isHalf() {
    return this == BFLOAT16 || this == FLOAT16;
  }

  /// The type in which arithmetic on this type is done: `FLOAT32` for the half types, `COMPLEX64` for `COMPLEX32`, itself
  /// otherwise.
  public DType compute() {
    return isHalf() ? FLOAT32 : this == COMPLEX32 ? COMPLEX64 : this;
  }

  /// Whether values of this type may become `to` by themselves, as in in-place operators: PyTorch's `can_cast`. Truth
  /// values may become whole numbers, whole numbers floating, floating numbers complex, but not the other way round.
  public boolean canCast(DType to) {
    return category() <= to.category();
  }

  /// The smallest type that holds the values of both, by PyTorch's lattice (`torch.promote_types`).
  public DType promote(DType other) {
    if (this == other) {
      return this;
    }
    if (kind == Kind.COMPLEX || other.kind == Kind.COMPLEX) {
      return toReal().promote(other.toReal()).toComplex();
    }
    if (kind != other.kind) {
      return kind.ordinal() > other.kind.ordinal() ? this : other;
    }
    if (kind == Kind.FLOATING) {
      if (this == FLOAT64 || other == FLOAT64) {
        return FLOAT64;
      }
      return FLOAT32; // float16 with bfloat16 also meets in float32
    }
    if (this == UINT8 || other == UINT8) {
      DType signed = this == UINT8 ? other : this;
      return signed == INT8 ? INT16 : signed;
    }
    return byteSize >= other.byteSize ? this : other;
  }

  /// Whether a value of a lower category is absorbed by this one: 0 for bool, 1 for integers, 2 for floating, 3 for
  /// complex.
  int category() {
    return kind.ordinal();
  }

  /// PyTorch's name, such as `float32`.
  @Override
  public String toString() {
    return torchName;
  }
}
