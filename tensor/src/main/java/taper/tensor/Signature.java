package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The inputs of an operator and their named dimensions, such as `a[*b n k], b[*b k m] -> [*b n m]`. Immutable.
///
/// A word is one dimension and has one size wherever it appears; `*b` is any number of leading dimensions, which
/// broadcast; `*` alone is any shape, unrelated to the others. A name that ends in `?` may be absent, and one that
/// ends in `...` stands for any number of tensors; if several do, the last ones, they are lists of one length, and a list
/// that may be absent consists of absent tensors then. An output dimension that no input has is computed by the operator's
/// declaration.
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

  private static final Pattern OPERAND = Pattern.compile("(\\w*)(\\?)?(\\.\\.\\.)?\\[([^\\]]*)\\]");

  private final String operator;
  private final String text;
  private final List<Operand> inputs;
  private final List<List<String>> outputs;
  private final int lists; // inputs that stand for any number of tensors
  private final boolean constrains; // whether there are inputs that it refuses

  // The same, prepared: dimensions and leading dimensions have numbers in the order of their names.
  private final List<String> dimensionNames = new ArrayList<>();
  private final List<String> leadingNames = new ArrayList<>();
  private final int[][] inputDimensions;
  private final int[] inputLeading; // -1 for none
  private final int[][] outputDimensions; // leading ones as -1 - number

  private Signature(
      String operator, String text, List<Operand> inputs, List<List<String>> outputs) {
    this.operator = operator;
    this.text = text;
    this.inputs = inputs;
    this.outputs = outputs;
    this.lists = (int) inputs.stream().filter(Operand::variadic).count();
    this.inputDimensions = new int[inputs.size()][];
    this.inputLeading = new int[inputs.size()];
    for (int i = 0; i < inputLeading.length; i++) {
      List<String> words = inputs.get(i).dimensions();
      inputDimensions[i] =
          words.stream().filter(d -> !d.startsWith("*")).mapToInt(this::dimension).toArray();
      inputLeading[i] =
          words.isEmpty() || !words.getFirst().startsWith("*") ? -1 : leading(words.getFirst());
    }
    this.outputDimensions =
        outputs.stream()
            .map(words ->
                words.stream()
                    .mapToInt(d -> d.startsWith("*") ? -1 - leading(d) : dimension(d))
                    .toArray())
            .toArray(int[][]::new);
    List<List<String>> shaped =
        inputs.stream().filter(o -> !o.anyShape()).map(Operand::dimensions).toList();
    this.constrains =
        shaped.stream().anyMatch(words -> words.size() != 1 || !words.getFirst().startsWith("*"))
            || shaped.stream().distinct().count() < shaped.size();
  }

  private int dimension(String name) {
    return number(dimensionNames, name);
  }

  private int leading(String name) {
    return number(leadingNames, name);
  }

  private static int number(List<String> names, String name) {
    int known = names.indexOf(name);
    if (known < 0) {
      names.add(name);
    }
    return known < 0 ? names.size() - 1 : known;
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
                new Operand(m.group(1), words(m.group(4)), m.group(2) != null, m.group(3) != null))
            .toList();
    List<List<String>> outputs =
        OPERAND.matcher(text.substring(arrow)).results().map(m -> words(m.group(4))).toList();
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

  /// The name of input `position` of `count`; those of a variadic input are numbered.
  String nameOf(int position, int count) {
    int single = inputs.size() - lists;
    String name = operandAt(position, count).name();
    return position < single || lists == 0
        ? name
        : name + "[" + (position - single) % ((count - single) / lists) + "]";
  }

  /// Refuses null in the place of an input that must be there.
  void requirePresent(String op, @Nullable Tensor[] in) {
    for (int i = 0; i < in.length; i++) {
      if (in[i] == null && !operandAt(i, in.length).optional()) {
        throw new ArgumentException(
            "%s: %s must be a tensor, but is null. Pass a tensor."
                .formatted(op, nameOf(i, in.length)));
      }
    }
  }

  /// The declaration of input `position` of `count`.
  Operand operandAt(int position, int count) {
    int single = inputs.size() - lists;
    int each = lists == 0 ? 0 : Math.max(1, (count - single) / lists);
    int operand = position < single || lists == 0 ? position : single + (position - single) / each;
    return inputs.get(Math.min(operand, inputs.size() - 1)); // there may be too many
  }

  /// Whether there can be `count` inputs.
  boolean takes(int count) {
    return lists == 0
        ? count == inputs.size()
        : count >= inputs.size() && (count - inputs.size()) % lists == 0;
  }

  /// The output shapes for `shapes`, one per input, null for an absent one.
  ///
  /// @throws ShapeException if a dimension has two sizes, or an input too few dimensions
  List<long[]> apply(List<long @Nullable []> shapes) {
    return match(shapes).outputs(Map.of());
  }

  /// The output shapes for `shapes`, one per input, null for an absent one.
  ///
  /// @param computed sizes of output dimensions that no input has; asked for after the inputs have been checked
  /// @throws ShapeException if a dimension has two sizes, or an input too few dimensions
  List<long[]> apply(List<long @Nullable []> shapes, Supplier<Map<String, Long>> computed) {
    return match(shapes).outputs(computed.get());
  }

  /// Checks the inputs alone.
  ///
  /// @throws ShapeException if a dimension has two sizes, or an input too few dimensions
  void check(List<long @Nullable []> shapes) {
    if (constrains) {
      match(shapes);
    }
  }

  private Match match(List<long @Nullable []> shapes) {
    var match = new Match(shapes);
    for (int i = 0; i < inputs.size(); i++) {
      long[] shape = shapes.get(i);
      if (shape != null && !inputs.get(i).anyShape()) {
        match.take(i, shape);
      }
    }
    return match;
  }

  /// The sizes that one call gives to the names. No text is made unless something does not fit.
  private final class Match {
    private final List<long @Nullable []> shapes;
    private final long[] size = new long[dimensionNames.size()];
    private final int[] sizeFrom = new int[dimensionNames.size()]; // the input, counted from 1
    private final long[] @Nullable [] lead = new long[leadingNames.size()][];
    private final int[] leadFrom = new int[leadingNames.size()];

    Match(List<long @Nullable []> shapes) {
      this.shapes = shapes;
    }

    void take(int input, long[] shape) {
      int[] named = inputDimensions[input];
      int star = inputLeading[input];
      int extra = shape.length - named.length;
      if (extra < 0 || extra > 0 && star < 0) {
        throw wrongRank(inputs.get(input), shape, named.length, star >= 0);
      }
      if (star >= 0) {
        long[] here = Arrays.copyOf(shape, extra);
        long[] before = lead[star];
        if (before == null) {
          lead[star] = here;
          leadFrom[star] = input;
        } else if (!Arrays.equals(before, here)) {
          lead[star] = broadcast(before, where(leadFrom[star]), here, where(input));
        }
      }
      for (int d = 0; d < named.length; d++) {
        int name = named[d];
        long here = shape[extra + d];
        if (sizeFrom[name] == 0) {
          size[name] = here;
          sizeFrom[name] = input + 1;
        } else if (size[name] != here) {
          throw new ShapeException(
              "%s: dimension %s is %d in %s, but %d in %s. They must be equal; see transpose and reshape."
                  .formatted(
                      operator,
                      dimensionNames.get(name),
                      size[name],
                      where(sizeFrom[name] - 1),
                      here,
                      where(input)));
        }
      }
    }

    private String where(int input) {
      return inputs.get(input).name() + " " + Arrays.toString(shapes.get(input));
    }

    List<long[]> outputs(Map<String, Long> computed) {
      computed.forEach((name, value) -> {
        int at = dimensionNames.indexOf(name);
        if (sizeFrom[at] > 0 && size[at] != value) {
          throw new ShapeException(
              "%s: dimension %s is %d in %s, but the result has %d."
                  .formatted(operator, name, size[at], where(sizeFrom[at] - 1), value));
        }
        size[at] = value;
        sizeFrom[at] = -1;
      });
      if (outputDimensions.length == 1) {
        return List.of(output(outputDimensions[0]));
      }
      return Arrays.stream(outputDimensions).map(this::output).toList();
    }

    private long[] output(int[] words) {
      int rank = 0;
      for (int word : words) {
        long[] leading = word < 0 ? lead[-1 - word] : null;
        rank += word >= 0 ? 1 : leading == null ? 0 : leading.length;
      }
      long[] result = new long[rank];
      int to = 0;
      for (int word : words) {
        if (word < 0) {
          long[] leading = lead[-1 - word];
          for (int d = 0; leading != null && d < leading.length; d++) {
            result[to++] = leading[d];
          }
        } else if (sizeFrom[word] == 0) {
          throw new IllegalStateException(
              "%s: nothing says how large output dimension %s is in %s"
                  .formatted(operator, dimensionNames.get(word), text));
        } else {
          result[to++] = size[word];
        }
      }
      return result;
    }
  }

  private ShapeException wrongRank(Operand operand, long[] shape, int named, boolean star) {
    return new ShapeException(
        "%s: %s must have %s%d dimension%s [%s], but has shape %s."
            .formatted(
                operator,
                operand.name(),
                star ? "at least " : "",
                named,
                named == 1 ? "" : "s",
                String.join(" ", operand.dimensions()),
                Arrays.toString(shape)));
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
