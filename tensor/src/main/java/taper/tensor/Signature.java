package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The inputs of an operator and their named dimensions, such as `a[*b n k], b[*b k m] -> [*b n m]`. Immutable.
///
/// A word is one dimension and has one size wherever it appears; `*b` is any number of leading dimensions, which
/// broadcast; `*` alone is any shape, unrelated to the others. A name that ends in `?` may be absent, and one that
/// ends in `...` stands for any number of tensors. An output dimension that no input has is computed by the
/// operator's declaration.
public final class Signature {

  /// One input.
  ///
  /// @param name its name in error messages and gradients
  /// @param dimensions the names of its dimensions
  /// @param optional whether it may be absent
  /// @param variadic whether it stands for any number of tensors
  public record Operand(String name, List<String> dimensions, boolean optional, boolean variadic) {
    boolean anyShape() {
      return dimensions.equals(List.of("*"));
    }
  }

  private static final Pattern OPERAND = Pattern.compile("(\\w*)(\\?|\\.\\.\\.)?\\[([^\\]]*)\\]");

  private final String operator;
  private final String text;
  private final List<Operand> inputs;
  private final List<List<String>> outputs;

  private Signature(
      String operator, String text, List<Operand> inputs, List<List<String>> outputs) {
    this.operator = operator;
    this.text = text;
    this.inputs = inputs;
    this.outputs = outputs;
  }

  static Signature parse(String operator, String text) {
    int arrow = text.indexOf("->");
    if (arrow < 0) {
      throw new IllegalArgumentException(operator + ": the signature '" + text + "' has no ->");
    }
    List<Operand> inputs =
        OPERAND
            .matcher(text.substring(0, arrow))
            .results()
            .map(m ->
                new Operand(
                    m.group(1),
                    words(m.group(3)),
                    "?".equals(m.group(2)),
                    "...".equals(m.group(2))))
            .toList();
    List<List<String>> outputs =
        OPERAND.matcher(text.substring(arrow)).results().map(m -> words(m.group(3))).toList();
    return new Signature(operator, text, inputs, outputs);
  }

  private static List<String> words(String text) {
    return text.isBlank() ? List.of() : List.of(text.trim().split("\\s+"));
  }

  /// The inputs, in order.
  public List<Operand> inputs() {
    return inputs;
  }

  /// How many tensors the operator returns.
  public int outputCount() {
    return outputs.size();
  }

  /// The position of the input called `name`.
  int position(String name) {
    for (int i = 0; i < inputs.size(); i++) {
      if (inputs.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException(operator + ": there is no input '" + name + "' in " + text);
  }

  /// The name of input `position`; those of a variadic input are numbered.
  String nameOf(int position) {
    Operand last = inputs.getLast();
    if (position >= inputs.size() - 1 && last.variadic()) {
      return last.name() + "[" + (position - inputs.size() + 1) + "]";
    }
    return inputs.get(position).name();
  }

  /// The declared name of input `position`, without a number.
  String operandAt(int position) {
    return inputs.get(Math.min(position, inputs.size() - 1)).name();
  }

  boolean isVariadic() {
    return !inputs.isEmpty() && inputs.getLast().variadic();
  }

  /// The output shapes for `shapes`, one per input, null for an absent one.
  ///
  /// @param computed sizes of output dimensions that no input has
  /// @throws ShapeException if a dimension has two sizes, or an input too few dimensions
  List<long[]> apply(List<long @Nullable []> shapes, Map<String, Long> computed) {
    Map<String, Long> size = new HashMap<>();
    Map<String, long[]> leading = new HashMap<>();
    match(shapes, size, leading);
    size.putAll(computed);
    return outputs.stream().map(output -> sizes(output, size, leading)).toList();
  }

  /// Checks the inputs alone.
  ///
  /// @throws ShapeException if a dimension has two sizes, or an input too few dimensions
  void check(List<long @Nullable []> shapes) {
    match(shapes, new HashMap<>(), new HashMap<>());
  }

  private void match(
      List<long @Nullable []> shapes, Map<String, Long> size, Map<String, long[]> leading) {
    Map<String, String> seen = new HashMap<>();
    Map<String, String> leader = new HashMap<>();
    for (int i = 0; i < inputs.size(); i++) {
      Operand operand = inputs.get(i);
      long[] shape = shapes.get(i);
      if (shape == null || operand.anyShape()) {
        continue;
      }
      match(operand, shape, size, seen, leading, leader);
    }
  }

  private void match(
      Operand operand,
      long[] shape,
      Map<String, Long> size,
      Map<String, String> seen,
      Map<String, long[]> leading,
      Map<String, String> leader) {
    List<String> named = operand.dimensions().stream().filter(d -> !d.startsWith("*")).toList();
    boolean star = named.size() < operand.dimensions().size();
    int lead = shape.length - named.size();
    String where = operand.name() + " " + Arrays.toString(shape);
    if (lead < 0 || lead > 0 && !star) {
      throw new ShapeException(
          "%s: %s must have %s%d dimension%s [%s], but has shape %s."
              .formatted(
                  operator,
                  operand.name(),
                  star ? "at least " : "",
                  named.size(),
                  named.size() == 1 ? "" : "s",
                  String.join(" ", operand.dimensions()),
                  Arrays.toString(shape)));
    }
    if (star) {
      String star0 = operand.dimensions().getFirst();
      long[] here = Arrays.copyOf(shape, lead);
      long[] before = leading.get(star0);
      if (before == null) {
        leading.put(star0, here);
        leader.put(star0, where);
      } else {
        leading.put(star0, broadcast(before, leader.get(star0), here, where));
      }
    }
    for (int d = 0; d < named.size(); d++) {
      String name = named.get(d);
      long here = shape[lead + d];
      Long before = size.putIfAbsent(name, here);
      if (before != null && before != here) {
        throw new ShapeException(
            "%s: dimension %s is %d in %s, but %d in %s."
                .formatted(operator, name, before, seen.get(name), here, where));
      }
      seen.putIfAbsent(name, where);
    }
  }

  private long[] sizes(List<String> output, Map<String, Long> size, Map<String, long[]> leading) {
    List<Long> result = new ArrayList<>();
    for (String d : output) {
      if (d.startsWith("*")) {
        for (long s : leading.getOrDefault(d, new long[0])) {
          result.add(s);
        }
      } else {
        Long s = size.get(d);
        if (s == null) {
          throw new IllegalStateException(
              operator + ": nothing says how large output dimension " + d + " is in " + text);
        }
        result.add(s);
      }
    }
    return result.stream().mapToLong(Long::longValue).toArray();
  }

  /// The shape to which both broadcast.
  ///
  /// @throws ShapeException if they do not
  long[] broadcast(long[] a, @Nullable String aName, long[] b, String bName) {
    int rank = Math.max(a.length, b.length);
    long[] result = new long[rank];
    for (int d = rank - 1; d >= 0; d--) {
      long x = d < rank - a.length ? 1 : a[d - (rank - a.length)];
      long y = d < rank - b.length ? 1 : b[d - (rank - b.length)];
      if (x != y && x != 1 && y != 1) {
        throw new ShapeException(
            "%s: shapes must broadcast, but dimension %d is %d in %s and %d in %s. Sizes must be equal or 1; see unsqueeze and expand."
                .formatted(operator, d - rank, x, aName, y, bName));
      }
      result[d] = x == 1 ? y : x;
    }
    return result;
  }

  /// The text that was declared.
  @Override
  public String toString() {
    return text;
  }
}
