package taper.golden;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// How PyTorch's functions are called in Taper, by PyTorch's names. Filled once, then only read.
///
/// Names are those under `torch`: `sum`, `linalg.svd`, `nn.functional.relu`; methods of `torch.Tensor` that are no
/// functions have the method's name.
public final class Bindings {
  private final Map<String, Binding> bindings = new LinkedHashMap<>();
  private Precision precision = Precision.GENERAL;

  /// The bindings of all topics.
  public static Bindings all() {
    var table = new Bindings();
    Topics.addTo(table);
    return table;
  }

  Bindings() {}

  /// Sets how closely results of the bindings to come must agree.
  public void precision(Precision of) {
    precision = of;
  }

  /// Binds the function that PyTorch calls `name`.
  ///
  /// @param ours the call as a user of Taper types it, for the compatibility table
  /// @param call the call
  /// @throws IllegalStateException if the name is bound already
  public Binding bind(String name, String ours, Call call) {
    var binding = new Binding(name, ours, call, precision);
    if (bindings.putIfAbsent(name, binding) != null) {
      throw new IllegalStateException(name + " is bound twice.");
    }
    return binding;
  }

  /// Says what PyTorch's `name` is in Taper, where it is no function of tensors that a case could call.
  public Binding say(String name, String ours) {
    return bind(
        name,
        ours,
        arguments -> {
          throw arguments.unsupported(name + " is no function");
        });
  }

  /// The binding of `name`, or null if there is none.
  public @Nullable Binding find(String name) {
    Binding binding = bindings.get(name);
    if (binding != null) {
      return binding;
    }
    if (name.startsWith("F.")) { // as scripts abbreviate torch.nn.functional
      return bindings.get("nn.functional." + name.substring(2));
    }
    return name.startsWith("Tensor.") ? bindings.get(name.substring(7)) : null;
  }

  /// All bindings, in the order in which they were added.
  public Collection<Binding> list() {
    return Collections.unmodifiableCollection(bindings.values());
  }

  /// A call in Taper.
  @FunctionalInterface
  public interface Call {
    /// The results of the call for the arguments of a case: a tensor, an array or a list of them, a record, a number …
    @Nullable Object apply(Arguments arguments);
  }

  /// How closely results must agree.
  public enum Precision {
    /// Element-wise functions.
    ELEMENTWISE,
    /// Products, sums, convolutions.
    GENERAL,
    /// Decompositions, special functions, long reductions.
    LOOSE
  }

  /// Compares results that are not defined to the last digit, such as singular vectors.
  @FunctionalInterface
  public interface Comparison {
    /// What differs, or null if the results agree.
    ///
    /// @param arguments those of the call
    /// @param ours Taper's results, flattened
    /// @param expected PyTorch's results, flattened
    /// @param tolerance how closely numbers must agree
    @Nullable String compare(
        Arguments arguments,
        List<@Nullable Object> ours,
        List<@Nullable Object> expected,
        Tolerance tolerance);

    /// Our results in the order of the expected ones, for gradients whose weights depend on it.
    default List<@Nullable Object> arranged(
        List<@Nullable Object> ours, List<@Nullable Object> expected) {
      return ours;
    }
  }

  /// How one function of PyTorch is called in Taper.
  public static final class Binding {
    private final String name;
    private final String ours;
    private final Call call;
    private final Precision precision;
    private @Nullable Comparison comparison;
    private @Nullable Predicate<Arguments> open;
    private String note = "";

    Binding(String name, String ours, Call call, Precision precision) {
      this.name = name;
      this.ours = ours;
      this.call = call;
      this.precision = precision;
    }

    /// PyTorch's name.
    public String name() {
      return name;
    }

    /// The call as a user of Taper types it.
    public String ours() {
      return ours;
    }

    /// What a user should know of differences; empty if there are none.
    public String note() {
      return note;
    }

    /// Adds a note on differences, for the compatibility table.
    public Binding note(String text) {
      note = text;
      return this;
    }

    /// Sets how results are compared in cases that PyTorch marks as defined only up to a choice.
    public Binding gauge(Comparison by) {
      comparison = by;
      return this;
    }

    /// Sets how results are compared in calls that leave the order of the results open.
    public Binding unordered(Predicate<Arguments> calls, Comparison by) {
      open = calls;
      comparison = by;
      return this;
    }

    /// Whether results of a call are only defined up to their order.
    boolean isOpen(Arguments arguments) {
      return open != null && open.test(arguments);
    }

    Call call() {
      return call;
    }

    Precision precision() {
      return precision;
    }

    @Nullable Comparison comparison() {
      return comparison;
    }
  }
}
