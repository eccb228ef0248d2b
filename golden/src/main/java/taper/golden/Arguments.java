package taper.golden;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Catalogue;
import taper.tensor.Complex;
import taper.tensor.DType;
import taper.tensor.Index;
import taper.tensor.Tensor;

/// The arguments of one call, by PyTorch's positions and names.
///
/// Position 0 is what a method would be called on. Position -1 says that an argument has a name only. Arguments that a
/// binding never asks for make the case fail: nothing is left unsaid.
public final class Arguments {
  /// What says where and how results are made; it has no meaning here.
  private static final Set<String> IGNORED =
      Set.of("device", "layout", "pin_memory", "requires_grad", "non_blocking", "memory_format");

  private final List<@Nullable Object> positional;
  private final Map<String, @Nullable Object> named;
  private final String variant;
  private boolean strict;
  private final Set<Integer> readPositions = new TreeSet<>();
  private final Set<String> readNames = new TreeSet<>(IGNORED);

  Arguments(
      List<@Nullable Object> positional, Map<String, @Nullable Object> named, String variant) {
    this.positional = positional;
    this.named = named;
    this.variant = variant;
  }

  /// Which of several entries of the function this is; empty for the only one.
  public String variant() {
    return variant;
  }

  /// How many arguments have a position.
  public int count() {
    return positional.size();
  }

  /// Whether the argument is there and is not None.
  public boolean has(int position, String name) {
    return value(position, name) != null;
  }

  /// The argument as it is, or null.
  public @Nullable Object value(int position, String name) {
    if (position >= 0 && position < positional.size()) {
      readPositions.add(position);
      return positional.get(position);
    }
    readNames.add(name);
    return named.get(name);
  }

  private Object required(int position, String name) {
    Object value = value(position, name);
    if (value == null) {
      throw new IllegalArgumentException("The argument " + name + " is missing.");
    }
    return value;
  }

  /// The first argument, as a tensor or a number as an operand.
  public Tensor self() {
    if (strict && !(value(0, "input") instanceof Tensor)) {
      throw new MistypedCall("a method is called on a tensor, not on " + positional.getFirst());
    }
    return operand(0, "input");
  }

  /// These arguments, of a call with a wrong type.
  Arguments mistyped() {
    strict = true;
    return this;
  }

  /// A tensor.
  public Tensor tensor(int position, String name) {
    Object value = required(position, name);
    if (value instanceof Tensor tensor) {
      return tensor;
    }
    throw new MistypedCall(name + " must be a tensor, but is " + Values.describe(value));
  }

  /// A tensor, or null if it is absent.
  public @Nullable Tensor find(int position, String name) {
    return (Tensor) value(position, name);
  }

  /// A tensor, or a number as an operand.
  public Tensor operand(int position, String name) {
    return switch (required(position, name)) {
      case Tensor tensor -> tensor;
      case Long whole -> Catalogue.number(whole);
      case Double number -> Catalogue.number(number);
      case Boolean truth -> Catalogue.number(truth);
      case Complex number -> Catalogue.number(number);
      case Object other -> throw unsupported("an operand " + Values.describe(other));
    };
  }

  /// What stands between the brackets of `x[...]`.
  public Index[] index(int position, String name) {
    Object value = required(position, name);
    List<?> parts =
        value instanceof List<?> list && !isNested(list) ? list : Collections.singletonList(value);
    return parts.stream().map(this::part).toArray(Index[]::new);
  }

  /// Whether a list stands for the indices of one dimension, not for several dimensions.
  private static boolean isNested(List<?> list) {
    return !list.isEmpty()
        && list.stream().allMatch(part -> part instanceof Long || part instanceof Double);
  }

  private Index part(@Nullable Object value) {
    return switch (value) {
      case null -> Index.newAxis();
      case Long at -> Index.at(at);
      case Boolean truth -> Index.of(Tensor.scalar(truth));
      case Tensor tensor -> Index.of(tensor);
      case Values.Ellipsis _ -> Index.ellipsis();
      case Values.Slice slice ->
          new Index.Range(slice.start(), slice.stop(), slice.step() == null ? 1 : slice.step());
      case List<?> list -> Index.of(list.stream().mapToLong(Arguments::whole).toArray());
      default -> throw unsupported("an index " + Values.describe(value));
    };
  }

  /// A list of tensors, of which some may be absent.
  public List<@Nullable Tensor> findTensors(int position, String name) {
    var result = new ArrayList<@Nullable Tensor>();
    for (Object item : (List<?>) required(position, name)) {
      result.add((Tensor) item);
    }
    return result;
  }

  /// A list of tensors.
  public List<Tensor> tensors(int position, String name) {
    var result = new ArrayList<Tensor>();
    for (Object item : (List<?>) required(position, name)) {
      if (!(item instanceof Tensor tensor)) {
        throw new MistypedCall(name + " must hold tensors, but holds " + Values.describe(item));
      }
      result.add(tensor);
    }
    return Collections.unmodifiableList(result);
  }

  /// The arguments from `position` on, as tensors.
  public List<Tensor> tensorsFrom(int position) {
    return IntStream.range(position, count()).mapToObj(i -> tensor(i, "")).toList();
  }

  /// A whole number.
  public long integer(int position, String name) {
    Object value = required(position, name);
    if (strict && value instanceof Double) {
      throw new MistypedCall(name + " must be a whole number, but is " + value);
    }
    return whole(value);
  }

  /// A whole number, or `otherwise`.
  public long integer(int position, String name, long otherwise) {
    Object value = value(position, name);
    return value == null ? otherwise : whole(value);
  }

  /// A whole number, or null.
  public @Nullable Long findInteger(int position, String name) {
    Object value = value(position, name);
    return value == null ? null : whole(value);
  }

  /// A dimension.
  public int dim(int position, String name) {
    return Math.toIntExact(integer(position, name));
  }

  /// A dimension, or `otherwise`.
  public int dim(int position, String name, int otherwise) {
    return Math.toIntExact(integer(position, name, otherwise));
  }

  /// Whole numbers; a single one counts as a list.
  public long[] longs(int position, String name) {
    return wholes(required(position, name));
  }

  /// Whole numbers, or null.
  public long @Nullable [] findLongs(int position, String name) {
    Object value = value(position, name);
    return value == null ? null : wholes(value);
  }

  /// Whole numbers that follow each other as arguments, `view(2, 3)`, or stand in a list, `view((2, 3))`.
  public long[] longsFrom(int position, String name) {
    if (position < count() && positional.get(position) instanceof Long) {
      return IntStream.range(position, count()).mapToLong(i -> integer(i, name)).toArray();
    }
    return longs(position, name);
  }

  /// Dimensions; a single one counts as a list.
  public int[] dims(int position, String name) {
    return Arrays.stream(longs(position, name)).mapToInt(Math::toIntExact).toArray();
  }

  /// Dimensions, or null.
  public int @Nullable [] findDims(int position, String name) {
    return has(position, name) ? dims(position, name) : null;
  }

  /// A number.
  public double number(int position, String name) {
    return real(required(position, name));
  }

  /// A number, or `otherwise`.
  public double number(int position, String name, double otherwise) {
    Object value = value(position, name);
    return value == null ? otherwise : real(value);
  }

  /// A number, or null.
  public @Nullable Double findNumber(int position, String name) {
    Object value = value(position, name);
    return value == null ? null : real(value);
  }

  /// Numbers; a single one counts as a list.
  public double[] numbers(int position, String name) {
    Object value = required(position, name);
    return value instanceof List<?> list
        ? list.stream().mapToDouble(Arguments::real).toArray()
        : new double[] {real(value)};
  }

  /// A truth value, or `otherwise`.
  public boolean flag(int position, String name, boolean otherwise) {
    Object value = value(position, name);
    return value == null ? otherwise : (Boolean) value;
  }

  /// A text, or `otherwise`.
  public String text(int position, String name, String otherwise) {
    Object value = value(position, name);
    return value == null ? otherwise : (String) value;
  }

  /// A text, or null.
  public @Nullable String findText(int position, String name) {
    return (String) value(position, name);
  }

  /// The type of elements, or null.
  public @Nullable DType dtype(int position, String name) {
    return switch (value(position, name)) {
      case null -> null;
      case DType dtype -> dtype;
      case Object other -> throw unsupported("the type " + Values.describe(other));
    };
  }

  /// What to throw where Taper does not have a form of the function.
  public RuntimeException unsupported(String why) {
    return new UnsupportedCase(why);
  }

  private static long whole(Object value) {
    return switch (value) {
      case Long number -> number;
      case Boolean truth -> truth ? 1 : 0;
      case Double number when number == Math.rint(number) -> (long) (double) number;
      case Tensor tensor when tensor.numel() == 1 -> tensor.itemLong();
      default -> throw new UnsupportedCase("a whole number " + Values.describe(value));
    };
  }

  private static long[] wholes(Object value) {
    if (value instanceof String) {
      throw new MistypedCall("whole numbers are expected, but there is a text, " + value);
    }
    return value instanceof List<?> list
        ? list.stream().mapToLong(Arguments::whole).toArray()
        : new long[] {whole(value)};
  }

  private static double real(@Nullable Object value) {
    return switch (value) {
      case Long number -> number;
      case Double number -> number;
      case Boolean truth -> truth ? 1 : 0;
      case Tensor tensor when tensor.numel() == 1 -> tensor.item();
      case null, default -> throw new UnsupportedCase("a number " + Values.describe(value));
    };
  }

  /// The arguments that nobody asked for; those that are None are not counted.
  List<String> unread() {
    var result = new ArrayList<String>();
    for (int i = 1; i < positional.size(); i++) {
      if (!readPositions.contains(i) && positional.get(i) != null) {
        result.add("argument " + i + " (" + Values.describe(positional.get(i)) + ")");
      }
    }
    named.forEach((name, value) -> {
      if (value != null && !readNames.contains(name)) {
        result.add(name + " (" + Values.describe(value) + ")");
      }
    });
    return result;
  }

  /// The argument that a set calls `input`, `args[0]`, `kwargs.weight` or `input[1]`; null if it is no tensor.
  @Nullable Tensor at(String place) {
    String root = place.replaceAll("\\[.*", "");
    Object value;
    var indices = new ArrayList<Integer>();
    for (var m = Pattern.compile("\\[(\\d+)]").matcher(place); m.find(); ) {
      indices.add(Integer.parseInt(m.group(1)));
    }
    if (root.equals("input")) {
      value = positional.getFirst();
    } else if (root.equals("args")) {
      value = positional.get(1 + indices.removeFirst());
    } else {
      value = named.get(root.substring("kwargs.".length()));
    }
    for (int index : indices) {
      value = value instanceof List<?> list ? list.get(index) : null;
    }
    return value instanceof Tensor tensor ? tensor : null;
  }
}
