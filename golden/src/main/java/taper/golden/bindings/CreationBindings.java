package taper.golden.bindings;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.tensor.Complex;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// New tensors and conversions.
public final class CreationBindings {
  private CreationBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.ELEMENTWISE);
    filled(table);
    sequences(table);
    conversions(table);
  }

  /// The result of `body`, in the argument `out` if there is one.
  static Tensor into(Arguments a, Supplier<Tensor> body) {
    Tensor out = a.find(-1, "out");
    return out == null ? body.get() : Tensor.into(out, body);
  }

  private static DType dtype(Arguments a) {
    DType dtype = a.dtype(-1, "dtype");
    return dtype == null ? DType.FLOAT32 : dtype;
  }

  private static DType dtype(Arguments a, Tensor like) {
    DType dtype = a.dtype(-1, "dtype");
    return dtype == null ? like.dtype() : dtype;
  }

  private static void filled(Bindings table) {
    table.bind(
        "zeros", "Tensor.zeros(dtype, sizes)", a -> Tensor.zeros(dtype(a), a.longsFrom(0, "size")));
    table.bind(
        "ones", "Tensor.ones(dtype, sizes)", a -> Tensor.ones(dtype(a), a.longsFrom(0, "size")));
    table.bind(
        "empty", "Tensor.empty(dtype, sizes)", a -> Tensor.empty(dtype(a), a.longsFrom(0, "size")));
    table.bind(
        "full",
        "Tensor.full(dtype, value, sizes)",
        a ->
            a.value(1, "fill_value") instanceof Long whole
                ? Tensor.full(dtype(a), whole, a.longs(0, "size"))
                : Tensor.full(dtype(a), a.number(1, "fill_value"), a.longs(0, "size")));
    table.bind(
        "empty_strided",
        "Tensor.emptyStrided(dtype, sizes, strides)",
        a -> Tensor.emptyStrided(dtype(a), a.longs(0, "size"), a.longs(1, "stride")));
    table.bind(
        "zeros_like",
        "Tensor.zerosLike(like, dtype)",
        a -> Tensor.zerosLike(a.self(), dtype(a, a.self())));
    table.bind(
        "ones_like",
        "Tensor.onesLike(like, dtype)",
        a -> Tensor.onesLike(a.self(), dtype(a, a.self())));
    table.bind(
        "empty_like",
        "Tensor.emptyLike(like, dtype)",
        a -> Tensor.emptyLike(a.self(), dtype(a, a.self())));
    table.bind(
        "full_like",
        "Tensor.fullLike(like, value, dtype)",
        a ->
            a.value(1, "fill_value") instanceof Complex value
                ? Tensor.fullLike(a.self(), value, dtype(a, a.self()))
                : Tensor.fullLike(a.self(), a.number(1, "fill_value"), dtype(a, a.self())));
    table.bind(
        "new_zeros",
        "newZeros(sizes), newZeros(dtype, sizes)",
        a -> a.self().newZeros(dtype(a, a.self()), a.longsFrom(1, "size")));
    table.bind(
        "new_ones",
        "newOnes(sizes), newOnes(dtype, sizes)",
        a -> a.self().newOnes(dtype(a, a.self()), a.longsFrom(1, "size")));
    table.bind(
        "new_empty",
        "newEmpty(sizes), newEmpty(dtype, sizes)",
        a -> a.self().newEmpty(dtype(a, a.self()), a.longsFrom(1, "size")));
    table.bind("new_full", "newFull(sizes, value), newFull(dtype, sizes, value)", a -> newFull(a));
    table.say("new_tensor", "newTensor(nested)");
    table.bind(
        "tensor",
        "Tensor.of(values, sizes), Tensor.scalar(value)",
        a -> nested(a.value(0, "data")));
    table
        .say("as_tensor", "Tensor.of(values, sizes)")
        .note("Java arrays live in the heap: always a copy");
    table.say("from_numpy", "Tensor.of(array), Tensor.fromSegment(segment, dtype, sizes)");
    table.bind(
        "fill",
        "fill_(value)",
        a -> {
          Tensor copy = a.self().clone();
          return a.value(1, "value") instanceof Long whole
              ? copy.fill_(whole)
              : copy.fill_(a.number(1, "value"));
        });
    table.say("Tensor.fill_", "fill_(value)");
    table.bind("zero_", "zero_()", a -> a.self().clone().zero_());
    table.say("Tensor.zero_", "zero_()");
    table.bind("Tensor.copy_", "copy_(source)", a -> a.self().copy_(a.tensor(1, "src")));
  }

  private static Tensor newFull(Arguments a) {
    DType dtype = dtype(a, a.self());
    long[] sizes = a.longs(1, "size");
    return a.value(2, "fill_value") instanceof Complex value
        ? a.self().newFull(dtype, sizes, value)
        : a.self().newFull(dtype, sizes, a.number(2, "fill_value"));
  }

  private static Tensor nested(@Nullable Object data) {
    return switch (data) {
      case Long whole -> Tensor.scalar(whole);
      case Double number -> Tensor.scalar(number);
      case Boolean truth -> Tensor.scalar(truth);
      case null, default -> Tensor.of(array(data));
    };
  }

  private static Object array(@Nullable Object data) {
    if (data instanceof List<?> list && !list.isEmpty() && list.getFirst() instanceof List<?>) {
      return list.stream().map(row -> (long[]) array(row)).toArray(long[][]::new);
    }
    return ((List<?>) Objects.requireNonNull(data))
        .stream().mapToLong(item -> ((Number) Objects.requireNonNull(item)).longValue()).toArray();
  }

  private static void sequences(Bindings table) {
    table.bind(
        "arange",
        "Tensor.arange(dtype, start, end, step)",
        a -> {
          boolean whole = true;
          for (int i = 0; i < Math.min(a.count(), 3); i++) {
            whole &= a.value(i, "") instanceof Long;
          }
          int shift = a.count() == 1 && !a.has(-1, "end") ? -1 : 0;
          DType dtype = a.dtype(-1, "dtype");
          if (whole) {
            return Tensor.arange(
                dtype == null ? DType.INT64 : dtype,
                shift < 0 ? 0L : a.integer(0, "start"),
                a.integer(1 + shift, "end"),
                a.integer(2 + shift, "step", 1));
          }
          return Tensor.arange(
              dtype == null ? DType.FLOAT32 : dtype,
              shift < 0 ? 0 : a.number(0, "start"),
              a.number(1 + shift, "end"),
              a.number(2 + shift, "step", 1));
        });
    table.bind(
        "linspace",
        "Tensor.linspace(dtype, start, end, steps)",
        a ->
            Tensor.linspace(
                dtype(a), a.number(0, "start"), a.number(1, "end"), a.integer(2, "steps")));
    table.bind(
        "logspace",
        "Tensor.logspace(dtype, start, end, steps, base)",
        a ->
            Tensor.logspace(
                dtype(a),
                a.number(0, "start"),
                a.number(1, "end"),
                a.integer(2, "steps"),
                a.number(3, "base", 10)));
    table.bind(
        "eye",
        "Tensor.eye(dtype, n, m)",
        a -> {
          long n = a.integer(0, "n");
          return Tensor.eye(dtype(a), n, a.integer(1, "m", n));
        });
    table.bind(
        "tril_indices",
        "Tensor.trilIndices(dtype, rows, columns, offset)",
        a ->
            Tensor.trilIndices(
                indexType(a), a.integer(0, "row"), a.integer(1, "col"), a.integer(2, "offset", 0)));
    table.bind(
        "triu_indices",
        "Tensor.triuIndices(dtype, rows, columns, offset)",
        a ->
            Tensor.triuIndices(
                indexType(a), a.integer(0, "row"), a.integer(1, "col"), a.integer(2, "offset", 0)));
  }

  private static DType indexType(Arguments a) {
    DType dtype = a.dtype(-1, "dtype");
    return dtype == null ? DType.INT64 : dtype;
  }

  private static void conversions(Bindings table) {
    table
        .bind("to", "to(dtype), to(device), to(dtype, device)", a -> to(a))
        .note("`copy=True` is `clone()`; memory formats other than contiguous are not there");
    table.bind("type", "type(dtype)", a -> a.self().type(dtypeAt(a)));
    table.bind("type_as", "typeAs(other)", a -> a.self().typeAs(a.tensor(1, "other")));
    cast(table, "float", "toFloat32()", Tensor::toFloat32);
    cast(table, "double", "toFloat64()", Tensor::toFloat64);
    cast(table, "half", "toFloat16()", Tensor::toFloat16);
    cast(table, "bfloat16", "DType.BFLOAT16, toBfloat16()", Tensor::toBfloat16);
    cast(table, "long", "toInt64()", Tensor::toInt64);
    cast(table, "int", "toInt32()", Tensor::toInt32);
    cast(table, "short", "toInt16()", Tensor::toInt16);
    cast(table, "char", "toInt8()", Tensor::toInt8);
    cast(table, "byte", "toUint8()", Tensor::toUint8);
    cast(table, "bool", "DType.BOOL, toBool()", Tensor::toBool);
    table.say("to_sparse", "").note("not there yet: sparse layouts are later work");
    table.bind("contiguous", "contiguous()", a -> a.self().contiguous());
    table.bind("clone", "clone()", a -> a.self().clone());
  }

  private static void cast(Bindings table, String name, String ours, UnaryOperator<Tensor> call) {
    table.bind(name, ours, a -> call.apply(a.self()));
  }

  private static DType dtypeAt(Arguments a) {
    DType dtype = a.dtype(1, "dtype");
    return dtype == null ? a.self().dtype() : dtype;
  }

  private static Tensor to(Arguments a) {
    Tensor x = a.self();
    DType dtype = a.dtype(-1, "dtype");
    boolean copy = a.flag(-1, "copy", false);
    for (int i = 1; i < a.count(); i++) {
      Object value = a.value(i, "");
      switch (value) {
        case DType given -> dtype = given;
        case Tensor other -> dtype = other.dtype();
        case null, default -> {}
      }
    }
    Tensor result = dtype == null ? x : x.to(dtype);
    return copy && result == x ? x.clone() : result;
  }
}
