package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.spi.Formula;

/// A loss that compares element by element and then reduces: one step of the graph, made of a pointwise kernel and a
/// reduction, with the gradient as one pointwise kernel.
///
/// Inputs that are absent are left out of the formula, which is made once for every combination.
final class ElementwiseLoss<A extends Record & ElementwiseLoss.Reduced> {

  /// Attributes that say how to reduce.
  interface Reduced {
    /// What to return.
    Reduction reduction();

    /// The numbers that the formula takes.
    default Parameters parameters() {
      return Parameters.NONE;
    }
  }

  /// The formula, whose inputs are numbered as the signature says.
  interface Form {
    /// The formula that does without the inputs that are not `present`.
    Formula of(boolean[] present);
  }

  /// Derivatives that are not the formula's own.
  interface Derivatives {
    /// The derivative by the input at `position`, or null where it follows from the formula.
    @Nullable Formula of(int position, boolean[] present);
  }

  private final String name;
  private final List<String> inputs;
  private final Form form;
  private final Derivatives derivatives;
  private final Map<Integer, Operator<A>> operators = new ConcurrentHashMap<>();

  /// @param derivatives by the inputs, where they are not derived from the formula
  ElementwiseLoss(String name, List<String> inputs, Form form, Derivatives derivatives) {
    this.name = name;
    this.inputs = inputs;
    this.form = form;
    this.derivatives = derivatives;
  }

  /// Begins the declaration. The last `optional` inputs may be absent.
  Operator.Declaration<A> in(Family family, int optional) {
    var signature = new StringBuilder();
    for (int i = 0; i < inputs.size(); i++) {
      signature
          .append(i == 0 ? "" : ", ")
          .append(inputs.get(i))
          .append(i >= inputs.size() - optional ? "?" : "")
          .append("[*b]");
    }
    var declaration =
        family.<A>composite(name, signature + " -> [*]", (a, in) -> value(a, in.all()));
    for (int i = 0; i < inputs.size(); i++) {
      int position = i;
      declaration.gradient(
          inputs.get(i), Keeps.inputs(inputs.toArray(String[]::new)), b -> gradient(b, position));
    }
    return declaration;
  }

  private Tensor value(A attributes, @Nullable Tensor[] in) {
    Tensor each = operator(-1, in).on(attributes, present(in));
    return switch (attributes.reduction()) {
      case NONE -> each;
      case MEAN -> each.mean();
      case SUM -> each.sum();
    };
  }

  private Tensor gradient(Backward<A> b, int position) {
    A attributes = b.attributes();
    @Nullable Tensor[] in = new Tensor[inputs.size()];
    for (int i = 0; i < in.length; i++) {
      in[i] = b.find(inputs.get(i));
    }
    Tensor grad = b.grad();
    Tensor[] present = present(in);
    if (attributes.reduction() == Reduction.MEAN) {
      grad = grad.div(count(present));
    }
    var operands = new Tensor[present.length + 1];
    operands[0] = grad;
    System.arraycopy(present, 0, operands, 1, present.length);
    return operator(position, in).on(attributes, operands);
  }

  /// The number of elements to which all operands broadcast.
  private static long count(Tensor[] present) {
    int rank = Arrays.stream(present).mapToInt(Tensor::dim).max().orElse(0);
    long count = 1;
    for (int d = 1; d <= rank; d++) {
      long size = 1;
      for (Tensor x : present) {
        long here = d <= x.dim() ? x.size(-d) : 1;
        size = size == 1 ? here : size;
      }
      count *= size;
    }
    return count;
  }

  private static Tensor[] present(@Nullable Tensor[] in) {
    var result = new ArrayList<Tensor>(in.length);
    for (Tensor x : in) {
      if (x != null) {
        result.add(x);
      }
    }
    return result.toArray(Tensor[]::new);
  }

  /// The operator of the gradient by input `position`, or of the values for -1.
  private Operator<A> operator(int position, @Nullable Tensor[] in) {
    int key = position + 1;
    for (Tensor x : in) {
      key = key << 1 | (x == null ? 0 : 1);
    }
    Operator<A> known = operators.get(key);
    if (known == null) {
      boolean[] present = new boolean[in.length];
      for (int i = 0; i < in.length; i++) {
        present[i] = in[i] != null;
      }
      known = make(position, present);
      operators.put(key, known);
    }
    return known;
  }

  private Operator<A> make(int position, boolean[] present) {
    Formula formula = form.of(present);
    boolean gradient = position >= 0;
    if (gradient) {
      Formula derivative = derivatives.of(position, present);
      formula = derivative != null ? derivative : formula.derivative(position);
    }
    var names = new ArrayList<String>();
    if (gradient) {
      names.add("grad");
    }
    for (int i = 0; i < present.length; i++) {
      if (present[i]) {
        formula = Formulas.replaceInput(formula, i, Formulas.marked(names.size()));
        names.add(inputs.get(i));
      }
    }
    formula = Formulas.unmark(formula);
    if (gradient) {
      formula = PointwiseGradient.scaled(formula);
    }
    return new Family("losses")
        .<A>pointwise(
            gradient ? name + "Gradient" : name,
            names,
            formula,
            ElementwiseLoss.Reduced::parameters)
        .dtypes(DTypes.FLOATING)
        .undeclared();
  }
}
