package taper.serialization;

import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.UnsupportedException;

/// The element types that a safetensors file may name, in the format's own order, by which a writer
/// sorts: the widest last, so that descending order keeps every tensor aligned.
enum StoredType {
  BOOL(8, DType.BOOL),
  F4(4, null),
  F6_E2M3(6, null),
  F6_E3M2(6, null),
  U8(8, DType.UINT8),
  I8(8, DType.INT8),
  F8_E5M2(8, null),
  F8_E4M3(8, null),
  F8_E8M0(8, null),
  F8_E4M3FNUZ(8, null),
  F8_E5M2FNUZ(8, null),
  I16(16, DType.INT16),
  U16(16, null),
  F16(16, DType.FLOAT16),
  BF16(16, DType.BFLOAT16),
  I32(32, DType.INT32),
  U32(32, null),
  F32(32, DType.FLOAT32),
  C64(64, DType.COMPLEX64),
  F64(64, DType.FLOAT64),
  I64(64, DType.INT64),
  U64(64, null);

  private final int bits;
  private final @Nullable DType dtype;

  StoredType(int bits, @Nullable DType dtype) {
    this.bits = bits;
    this.dtype = dtype;
  }

  /// The size of one element, in bits.
  int bits() {
    return bits;
  }

  /// The tensor type that holds these elements unchanged, or `null` where there is none yet.
  @Nullable DType dtype() {
    return dtype;
  }

  /// The type of that name in a file, or `null` if the format has none.
  static @Nullable StoredType named(String name) {
    for (StoredType type : values()) {
      if (type.name().equals(name)) {
        return type;
      }
    }
    return null;
  }

  /// The type in which a tensor of that dtype is written.
  ///
  /// @throws UnsupportedException if the format has none
  static StoredType of(DType dtype) {
    for (StoredType type : values()) {
      if (type.dtype == dtype) {
        return type;
      }
    }
    throw new UnsupportedException(
        "safetensors: the format must have the type of every tensor, but has no %s. Save viewAsReal(), or convert it with .to(DType.COMPLEX64)."
            .formatted(dtype));
  }
}
