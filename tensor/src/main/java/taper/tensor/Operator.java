package taper.tensor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;

/// What one operator is: its signature, rules, values, gradients, foreign names and samples.
///
/// Operators are declared once, in the families that [Tensor] implements, and never change. Threads share them.
///
/// @param <A> the record of its attributes, [None] if it has none
public final class Operator<A extends Record> {

  /// The attributes of an operator that has none.
  public record None() {
    /// The one instance.
    public static final None NONE = new None();
  }

  /// One example of a call, from which tests are made.
  ///
  /// @param attributes the attributes
  /// @param inputs the inputs as text, such as `f32[3 4] in -2..2, i64[3] in 0..4`
  /// @param <A> the record of the attributes
  public record Sample<A extends Record>(A attributes, String inputs) {}

  /// One example of a call that must fail.
  ///
  /// @param attributes the attributes
  /// @param inputs the inputs as text
  /// @param message the whole message
  /// @param <A> the record of the attributes
  public record Rejection<A extends Record>(A attributes, String inputs, String message) {}

  /// Computes sizes of output dimensions that no input has.
  ///
  /// @param <A> the record of the attributes
  @FunctionalInterface
  public interface ShapeRule<A extends Record> {
    /// The output shapes. `shapes` has one entry per input, null for an absent one.
    List<long[]> apply(A attributes, List<long @Nullable []> shapes);
  }

  /// Checks what shapes and types cannot say, before any kernel runs: a label beyond the classes.
  ///
  /// @param <A> the record of the attributes
  @FunctionalInterface
  public interface Check<A extends Record> {
    /// Throws if the call must not be made. `inputs` has null for an absent one.
    void check(A attributes, @Nullable Tensor[] inputs);
  }

  private final String name;
  private final String family;
  private final Signature signature;
  private final Definition<A> definition;
  private final DTypes dtypes;
  private final @Nullable ShapeRule<A> shapeRule;
  private final @Nullable Check<A> check;
  private final Map<String, Gradient<A>> gradients;
  private final boolean differentiable;
  private final Set<String> mutated;
  private final Set<String> constants;
  private final Set<Integer> auxiliary;
  private final Map<String, Formula> slopes;
  private final boolean random;
  private final Set<Integer> ambiguous;
  private final Set<String> spreading;
  private final boolean piecewiseLinear;
  private final List<String> foreign;
  private final List<Sample<A>> samples;
  private final List<Rejection<A>> rejections;
  private final String source;
  private final String gradientName;
  private final boolean single;

  private final @Nullable Kernel[] kernels =
      new Kernel[DType.values().length * DType.values().length];
  private final Map<Integer, Operator<A>> variants = new ConcurrentHashMap<>();
  private final Map<Integer, PointwiseGradient<A>> derived = new ConcurrentHashMap<>();

  private Operator(Declaration<A> d, boolean differentiable) {
    this.name = d.name;
    this.family = d.family.name();
    this.signature = d.signature;
    this.definition = d.definition;
    this.dtypes = d.dtypes;
    this.shapeRule = d.shapeRule;
    this.check = d.check;
    this.single = d.signature.outputCount() <= 1;
    this.gradients = Map.copyOf(d.gradients);
    this.differentiable = differentiable;
    this.mutated = Set.copyOf(d.mutated);
    this.constants = Set.copyOf(d.constants);
    this.auxiliary = Set.copyOf(d.auxiliary);
    this.slopes = Map.copyOf(d.slopes);
    this.random = d.random;
    this.ambiguous = Set.copyOf(d.ambiguous);
    this.spreading = Set.copyOf(d.spreading);
    this.piecewiseLinear = d.piecewiseLinear;
    this.foreign = List.copyOf(d.torch);
    this.samples = List.copyOf(d.samples);
    this.rejections = List.copyOf(d.rejections);
    this.source = d.source;
    this.gradientName = d.gradientName != null ? d.gradientName : backwardName(d.name);
  }

  private static String backwardName(String name) {
    String stem = name.endsWith("_") ? name.substring(0, name.length() - 1) : name;
    return Character.toUpperCase(stem.charAt(0)) + stem.substring(1) + "Backward0";
  }

  /// Applies the operator and returns its first output; the framework lets go of the others.
  public Tensor on(A attributes, @Nullable Tensor... inputs) {
    return single
        ? Dispatch.call(this, attributes, inputs, null)[0]
        : Dispatch.first(this, attributes, inputs);
  }

  /// Applies the operator and returns all outputs.
  public Tensor[] all(A attributes, @Nullable Tensor... inputs) {
    return Dispatch.call(this, attributes, inputs, null);
  }

  /// Applies the operator and writes the result into its first input, which is returned.
  public Tensor inPlace(A attributes, Tensor... inputs) {
    return Dispatch.call(this, attributes, inputs, inputs.length == 0 ? null : inputs[0])[0];
  }

  /// Applies the operator and writes the result into `out`, which is returned; see [Tensor#into]. Not recorded by
  /// autograd.
  public Tensor into(Tensor out, A attributes, Tensor... inputs) {
    if (signature.outputCount() == 0) {
      throw new ArgumentException(
          name + ": there must be a result to write into out, but the operator has none.");
    }
    return OutSlot.fill(name, out, () -> on(attributes, inputs));
  }

  /// The name, in Java's spelling.
  public String name() {
    return name;
  }

  /// The family that declares it.
  public String family() {
    return family;
  }

  /// The inputs and their dimensions.
  public Signature signature() {
    return signature;
  }

  /// Where the values come from.
  public Definition<A> definition() {
    return definition;
  }

  /// The rule of the element types.
  public DTypes dtypes() {
    return dtypes;
  }

  /// The gradients by the name of the input; empty for compositions and for formulas whose gradient is derived.
  public Map<String, Gradient<A>> gradients() {
    return gradients;
  }

  /// Whether gradients flow through the operator.
  public boolean isDifferentiable() {
    return differentiable;
  }

  /// The names of inputs that a call overwrites.
  public Set<String> mutated() {
    return mutated;
  }

  /// Whether the gradient by the first input has one itself, of zeros.
  boolean isPiecewiseLinear() {
    return piecewiseLinear;
  }

  boolean mutates() {
    return !mutated.isEmpty();
  }

  /// Whether a call overwrites input `position` of `count`.
  public boolean mutates(int position, int count) {
    return mutates() && mutated.contains(signature.operandAt(position, count).name());
  }

  /// The names of inputs that no gradient flows to.
  public Set<String> constants() {
    return constants;
  }

  /// The positions of outputs that no gradient flows from: statistics that a gradient keeps.
  public Set<Integer> auxiliary() {
    return auxiliary;
  }

  /// Whether the values are drawn from a generator, in a way that depends on the type.
  public boolean isRandom() {
    return random;
  }

  /// The positions of outputs of which several values are right, such as vectors of either sign, so that kernels may return
  /// different ones.
  public Set<Integer> ambiguous() {
    return ambiguous;
  }

  /// The names of inputs whose NaN, infinities and huge numbers may reach more elements of the result than they do
  /// mathematically; see [Declaration#spreads].
  public Set<String> spreading() {
    return spreading;
  }

  /// The PyTorch schemas that it stands for; empty if it is our own.
  public List<String> torch() {
    return foreign;
  }

  /// Examples of calls.
  public List<Sample<A>> samples() {
    return samples;
  }

  /// Examples of calls that must fail.
  public List<Rejection<A>> rejections() {
    return rejections;
  }

  /// The publication that defines it, if there is one.
  public String source() {
    return source;
  }

  /// The name of its node in the graph, such as `AddBackward0`.
  public String gradientName() {
    return gradientName;
  }

  @Override
  public String toString() {
    return name + "(" + signature + ")";
  }

  /// The output shapes of a call.
  ///
  /// @throws ShapeException if the inputs do not fit
  List<long[]> shapes(A attributes, List<long @Nullable []> inputs) {
    if (shapeRule == null) {
      return signature.apply(inputs);
    }
    return shapeRule.apply(attributes, inputs);
  }

  /// Checks the values of the inputs.
  void check(A attributes, @Nullable Tensor[] inputs) {
    if (check != null) {
      check.check(attributes, inputs);
    }
  }

  /// The kernel for the given types: the best library's, else the reference.
  Kernel kernel(DType compute, DType result) {
    if (Context.current().referenceKernels) {
      return compute.isComplex() || result.isComplex()
          ? ByParts.kernel(this, compute, result)
          : Libraries.reference(this);
    }
    int key = compute.ordinal() * DType.values().length + result.ordinal();
    Kernel kernel = kernels[key];
    if (kernel == null) {
      kernel = Libraries.kernel(this, compute, result);
      kernels[key] = kernel;
    }
    return kernel;
  }

  /// The operator that takes the inputs whose bits are set in `mask` as parameters instead of tensors.
  Operator<A> withNumbers(int mask) {
    return mask == 0 ? this : variants.computeIfAbsent(mask, this::makeVariant);
  }

  private Operator<A> makeVariant(int mask) {
    var pointwise = (Definition.Pointwise<A>) definition;
    var names = new ArrayList<String>();
    for (int i = 0; i < signature.inputs().size(); i++) {
      if ((mask & 1 << i) == 0) {
        names.add(signature.inputs().get(i).name());
      }
    }
    int parameters = Formulas.parameterCount(pointwise.formula());
    Formula formula = withParameters(pointwise.formula(), mask, parameters);
    var declaration =
        new Declaration<A>(
            new Family(family),
            name,
            Formulas.pointwiseSignature(names),
            new Definition.Pointwise<>(formula, pointwise.parameters()));
    declaration.dtypes = dtypes;
    declaration.gradientName = gradientName;
    slopes.forEach(
        (input, slope) -> declaration.slopes.put(input, withParameters(slope, mask, parameters)));
    gradients.forEach((input, gradient) -> {
      if (names.contains(input)) {
        declaration.gradients.put(input, gradient);
      }
    });
    return new Operator<>(declaration, differentiable);
  }

  /// `formula` with parameters, from number `parameter` on, in the place of the inputs whose bits are set in `mask`.
  private Formula withParameters(Formula formula, int mask, int parameter) {
    Formula result = formula;
    int kept = 0;
    for (int i = 0; i < signature.inputs().size(); i++) {
      Formula by =
          (mask & 1 << i) != 0 ? new Formula.Parameter(parameter++) : Formulas.marked(kept++);
      result = Formulas.replaceInput(result, i, by);
    }
    return Formulas.unmark(result);
  }

  /// The derivative of a pointwise operator by input `position`.
  Formula derivative(int position) {
    Formula declared = slopes.get(signature.inputs().get(position).name());
    return declared != null
        ? declared
        : ((Definition.Pointwise<A>) definition).formula().derivative(position);
  }

  /// The derived gradient of a pointwise operator by input `position`.
  PointwiseGradient<A> derivedGradient(int position) {
    return derived.computeIfAbsent(position, p -> PointwiseGradient.derive(this, p));
  }

  /// Builds an operator; [#declare()] ends it.
  ///
  /// @param <A> the record of the attributes
  public static final class Declaration<A extends Record> {
    private final Family family;
    private final String name;
    private final Signature signature;
    private final Definition<A> definition;
    private DTypes dtypes = DTypes.PROMOTE;
    private @Nullable ShapeRule<A> shapeRule;
    private @Nullable Check<A> check;
    private final Map<String, Gradient<A>> gradients = new LinkedHashMap<>();
    private boolean notDifferentiable;
    private boolean own;
    private final List<String> mutated = new ArrayList<>();
    private final List<String> constants = new ArrayList<>();
    private final List<Integer> auxiliary = new ArrayList<>();
    private final Map<String, Formula> slopes = new LinkedHashMap<>();
    private boolean random;
    private final List<Integer> ambiguous = new ArrayList<>();
    private final List<String> spreading = new ArrayList<>();
    private boolean piecewiseLinear;
    private final List<String> torch = new ArrayList<>();
    private final List<Sample<A>> samples = new ArrayList<>();
    private final List<Rejection<A>> rejections = new ArrayList<>();
    private String source = "";
    private @Nullable String gradientName;

    Declaration(Family family, String name, String signature, Definition<A> definition) {
      this.family = family;
      this.name = name;
      this.signature = Signature.parse(name, signature);
      this.definition = definition;
    }

    /// The types it takes, computes in and returns.
    public Declaration<A> dtypes(DTypes rule) {
      dtypes = rule;
      return this;
    }

    /// The sizes of output dimensions that no input has, by name. The signature still checks the inputs.
    public Declaration<A> sizes(
        BiFunction<A, List<long @Nullable []>, Map<String, Long>> computed) {
      shapeRule = (a, shapes) -> signature.apply(shapes, () -> computed.apply(a, shapes));
      return this;
    }

    /// The output shapes, where the signature cannot say them. It still checks the inputs, before the rule sees them.
    public Declaration<A> shape(ShapeRule<A> rule) {
      shapeRule =
          (a, shapes) -> {
            signature.check(shapes);
            return rule.apply(a, shapes);
          };
      return this;
    }

    /// What must hold of the inputs besides shapes and types, checked before any kernel runs.
    public Declaration<A> check(Check<A> condition) {
      check = condition;
      return this;
    }

    /// The gradient by `input`, from the tensors that `keeps` names; see [Gradient].
    public Declaration<A> gradient(String input, Gradient.Keeps keeps, Gradient.Rule<A> rule) {
      gradients.put(input, new Gradient<>(keeps, rule));
      return this;
    }

    /// Says that no gradient flows through the operator.
    public Declaration<A> notDifferentiable() {
      notDifferentiable = true;
      return this;
    }

    /// The derivative of a pointwise operator by `input`, where it shall not be the formula's own: at a limit, PyTorch's
    /// gradient may pass whole.
    public Declaration<A> derivative(String input, Formula slope) {
      slopes.put(input, slope);
      return this;
    }

    /// Says that no gradient flows to these inputs, though they may be floating.
    public Declaration<A> constant(String... inputs) {
      constants.addAll(List.of(inputs));
      return this;
    }

    /// Says that no gradient flows from these outputs, though they may be floating.
    public Declaration<A> auxiliary(Integer... outputs) {
      auxiliary.addAll(List.of(outputs));
      return this;
    }

    /// Says that the values are drawn from a generator, in a way that depends on the type.
    public Declaration<A> random() {
      random = true;
      return this;
    }

    /// Says that several values of these outputs are right, such as vectors of either sign, so that kernels may return
    /// different ones.
    public Declaration<A> ambiguous(Integer... outputs) {
      ambiguous.addAll(List.of(outputs));
      return this;
    }

    /// Says that NaN, infinities and numbers beside which others vanish may reach more elements of the result from these
    /// inputs than they do mathematically: kernels may multiply them with zeros, those of a padding or of a state that is not
    /// given, or, by Winograd's algorithm, mix those of a tile.
    public Declaration<A> spreads(String... inputs) {
      spreading.addAll(List.of(inputs));
      return this;
    }

    /// Says that the gradient by the first input does not change with it, but counts as a function of it, as in PyTorch: its
    /// own gradient is zeros rather than none.
    public Declaration<A> piecewiseLinear() {
      piecewiseLinear = true;
      return this;
    }

    /// The inputs that a call overwrites.
    public Declaration<A> mutates(String... inputs) {
      mutated.addAll(List.of(inputs));
      return this;
    }

    /// A PyTorch schema that it stands for.
    public Declaration<A> torch(String schema) {
      torch.add(schema);
      return this;
    }

    /// Says that PyTorch has no such schema in public: it has no such function, or composes it in Python.
    public Declaration<A> own() {
      own = true;
      return this;
    }

    /// The name of its node in the graph, where it is not `<Name>Backward0`.
    public Declaration<A> gradientName(String node) {
      gradientName = node;
      return this;
    }

    /// An example of a call.
    public Declaration<A> sample(A attributes, String inputs) {
      samples.add(new Sample<>(attributes, inputs));
      return this;
    }

    /// An example of a call that must fail with exactly this message.
    public Declaration<A> rejects(A attributes, String inputs, String message) {
      rejections.add(new Rejection<>(attributes, inputs, message));
      return this;
    }

    /// The publication that defines it.
    public Declaration<A> source(String citation) {
      source = citation;
      return this;
    }

    /// The operator, without its being listed: one that the framework derives from another.
    Operator<A> undeclared() {
      return new Operator<>(this, !notDifferentiable);
    }

    /// Ends the declaration.
    ///
    /// @throws IllegalStateException if it is half done: no sample, no PyTorch name and not our own, or a
    ///     gradient missing that is not said to be
    public Operator<A> declare() {
      if (samples.isEmpty()) {
        throw new IllegalStateException(name + ": declare at least one sample");
      }
      if (torch.isEmpty() && !own) {
        throw new IllegalStateException(name + ": declare the PyTorch schema, or say own()");
      }
      boolean derives =
          definition instanceof Definition.Pointwise || definition instanceof Definition.Composite;
      if (!derives && !notDifferentiable && gradients.isEmpty()) {
        throw new IllegalStateException(name + ": declare gradients, or say notDifferentiable()");
      }
      gradients.keySet().forEach(signature::position);
      slopes.keySet().forEach(signature::position);
      constants.forEach(signature::position);
      mutated.forEach(signature::position);
      spreading.forEach(signature::position);
      var operator = new Operator<>(this, !notDifferentiable);
      family.add(operator);
      return operator;
    }
  }

  /// A function from attributes to pointwise parameters, for [Family#pointwise].
  static <A extends Record> Function<A, Parameters> noParameters() {
    return attributes -> Parameters.NONE;
  }
}
