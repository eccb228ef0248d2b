package taper.nn;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Buffer;
import taper.tensor.DType;
import taper.tensor.Device;
import taper.tensor.DeviceException;
import taper.tensor.Guard;
import taper.tensor.Memory;
import taper.tensor.Parameter;
import taper.tensor.Tensor;
import taper.tensor.UnsupportedException;

/// A part of a network: a layer, or a composition of modules.
///
/// Extend it, keep layers in fields, write [#forward(Tensor)], and use [#call(Tensor)]:
///
/// ```java
/// final class Net extends Module {
///   private final Linear hidden = new Linear(784, 128);
///   private final Linear out = new Linear(128, 10);
///
///   @Override
///   protected Tensor forward(Tensor x) {
///     return out.call(hidden.call(x.flatten(1)).relu());
///   }
/// }
/// ```
///
/// Fields that hold a [Module], a [Parameter] or a [Buffer] are registered by themselves, under their own name or that of
/// [Key], in the order of their declaration, those of superclasses first; a field that is null or `transient` is not.
/// Collections are [ModuleList] and [ModuleDict]. The `register…` methods take names that are known only at run time, and
/// serve packages that are closed to reflection.
///
/// Mutable. Threads may call a module at the same time as long as nobody changes it; layers with running statistics
/// change in training mode. Nothing has to be freed.
public abstract class Module {
  private transient @Nullable String label;
  private transient @Nullable Object labelledUnder;
  private final Fields fields;
  private final Map<String, @Nullable Object> registered = new LinkedHashMap<>();
  private final Set<String> notPersistent = new HashSet<>();
  private @Nullable Hooks hooks;
  private boolean training = true;

  /// For subclasses.
  ///
  /// @throws ArgumentException if the class has a field that is a collection of modules
  protected Module() {
    fields = Fields.of(getClass());
  }

  // Calling

  /// Runs the module.
  ///
  /// @throws taper.tensor.TaperException if something goes wrong; the message begins with the path of the module
  public final Tensor call(Tensor input) {
    if (input == null) {
      throw new ArgumentException(
          "%s: the input must be given, but is null.".formatted(typeName()));
    }
    Hooks present = hooks;
    if (present == null || present.isEmpty()) {
      return Calls.run(this, () -> forward(input));
    }
    return invoke(List.of(input), in -> forward(in.getFirst()), List::of, List::getFirst);
  }

  /// Computes the output. Written by subclasses, and called by [#call(Tensor)] only.
  protected Tensor forward(Tensor input) {
    throw new UnsupportedException(
        "a module called with one tensor must override forward(Tensor), but this one does"
            + " not. Override it, or use the call method that the class declares.");
  }

  /// Runs `forward` as a call of this module: with hooks, and with its path in errors. For modules whose inputs and
  /// output are not one tensor each, which declare a `call` of their own.
  ///
  /// @param inputs the tensors that hooks see and may replace
  /// @param forward computes the output from them
  /// @param toTensors the tensors of an output, for hooks
  /// @param fromTensors an output of these tensors, after hooks
  /// @param <R> what the module returns
  protected final <R> R invoke(
      List<Tensor> inputs,
      Function<List<Tensor>, R> forward,
      Function<R, List<Tensor>> toTensors,
      Function<List<Tensor>, R> fromTensors) {
    return Calls.run(
        this,
        () -> {
          Hooks present = hooks;
          return present == null || present.isEmpty()
              ? forward.apply(inputs)
              : fromTensors.apply(
                  present.run(this, inputs, in -> toTensors.apply(forward.apply(in))));
        });
  }

  /// As the longer form, for modules that take several tensors and return one.
  protected final Tensor invoke(List<Tensor> inputs, Function<List<Tensor>, Tensor> forward) {
    return invoke(inputs, forward, List::of, List::getFirst);
  }

  /// Calls `hook` before every call of this module.
  ///
  /// @return a guard that takes the hook away
  public final Guard registerForwardPreHook(ForwardPreHook hook) {
    return hooks().beforeCalls(hook);
  }

  /// Calls `hook` after every call of this module.
  ///
  /// @return a guard that takes the hook away
  public final Guard registerForwardHook(ForwardHook hook) {
    return hooks().afterCalls(hook);
  }

  /// Calls `hook` in the backward pass, when the gradients by the inputs of a call are known.
  ///
  /// @return a guard that takes the hook away
  public final Guard registerFullBackwardHook(BackwardHook hook) {
    return hooks().afterBackward(hook);
  }

  private Hooks hooks() {
    Hooks present = hooks;
    if (present == null) {
      present = new Hooks();
      hooks = present;
    }
    return present;
  }

  final boolean hasHooks() {
    return hooks != null && !hooks.isEmpty();
  }

  /// Whether nobody but the caller gets hold of a tensor that a call makes, so that it may be released, or overwritten, as
  /// soon as no graph needs it. False unless overridden, since a module may keep what it computes.
  ///
  /// A module that keeps nothing itself returns [#partsLetNothingEscape()].
  protected boolean letsNothingEscape() {
    return false;
  }

  /// Whether this module has no hooks, and no module in it lets tensors escape.
  protected final boolean partsLetNothingEscape() {
    return !hasHooks() && children().stream().allMatch(Module::letsNothingEscape);
  }

  /// Returns what `body`, a part of [#forward(Tensor)], returns. Lets go of the other tensors that are made in it if
  /// [#letsNothingEscape()].
  protected final Tensor tidily(Supplier<Tensor> body) {
    return letsNothingEscape() ? Memory.tidy(body) : body.get();
  }

  /// Calls `modules` one after the other, as [Sequential] does: neighbours are computed in one pass where nobody can tell.
  protected static Tensor inTurn(Tensor input, Module... modules) {
    return inTurn(input, null, modules);
  }

  /// As [#inTurn(Tensor, Module...)], but adds `addend` to what the last module sees: `relu(norm(conv(input)) + addend)`.
  protected static Tensor inTurn(Tensor input, @Nullable Tensor addend, Module... modules) {
    List<Module> all = List.of(modules);
    if (all.stream().allMatch(Module::letsNothingEscape)) {
      return Memory.tidy(() -> new Chain(all, addend).run(input));
    }
    Tensor x = input;
    for (int i = 0; i < modules.length; i++) {
      x = modules[i].call(addend == null || i < modules.length - 1 ? x : x.add(addend));
    }
    return x;
  }

  // Registration

  /// Registers `module` under `name`; null says that the field of this name holds none.
  ///
  /// @throws ArgumentException if the name is taken or contains a dot
  protected final void registerModule(String name, @Nullable Module module) {
    register("registerModule", name, module);
  }

  /// Registers `parameter` under `name`; null says that the field of this name holds none.
  ///
  /// @throws ArgumentException if the name is taken or contains a dot
  protected final void registerParameter(String name, @Nullable Parameter parameter) {
    register("registerParameter", name, parameter);
  }

  /// Registers `buffer` under `name`; null says that the field of this name holds none.
  ///
  /// @throws ArgumentException if the name is taken or contains a dot
  protected final void registerBuffer(String name, @Nullable Buffer buffer) {
    registerBuffer(name, buffer, true);
  }

  /// Registers `buffer` under `name`.
  ///
  /// @param persistent whether it is part of the state dict
  /// @throws ArgumentException if the name is taken or contains a dot
  protected final void registerBuffer(String name, @Nullable Buffer buffer, boolean persistent) {
    register("registerBuffer", name, buffer);
    if (!persistent) {
      notPersistent.add(name);
    }
  }

  private void register(String method, String name, @Nullable Object member) {
    if (Sizes.given(method, "the name", name).isEmpty() || name.indexOf('.') >= 0) {
      throw new ArgumentException(
          "%s: names must not be empty and not contain a dot, but the name is '%s'."
              .formatted(method, name));
    }
    if (registered.containsKey(name)) {
      throw new ArgumentException(
          "%s: names must be different, but '%s' is registered already.".formatted(method, name));
    }
    registered.put(name, member);
  }

  /// Replaces what is registered under `name`, for lists of modules.
  final void replace(String name, Module module) {
    registered.put(name, module);
  }

  /// Takes back what is registered under `name`, for lists of modules.
  final void unregister(String name) {
    registered.remove(name);
  }

  private void forEachMember(java.util.function.BiConsumer<String, Object> visitor) {
    fields.checkCollections(this);
    Set<String> seen = new HashSet<>();
    for (Fields.Slot slot : fields.slots()) {
      if (registered.containsKey(slot.name())) {
        continue; // the constructor has said what the field holds
      }
      if (!slot.readable()) {
        throw slot.closed();
      }
      Object value = slot.read(this);
      if (value instanceof Module || value instanceof Parameter || value instanceof Buffer) {
        if (!seen.add(slot.name())) {
          throw new ArgumentException(
              "%s: names must be different, but two fields are registered as '%s'. Give one of them another @Key."
                  .formatted(typeName(), slot.name()));
        }
        visitor.accept(slot.name(), value);
      }
    }
    registered.forEach((name, value) -> {
      if (value != null) {
        visitor.accept(name, value);
      }
    });
  }

  private <T> Map<String, T> members(Class<T> type) {
    var result = new LinkedHashMap<String, T>();
    forEachMember((name, value) -> {
      if (type.isInstance(value)) {
        result.put(name, type.cast(value));
      }
    });
    return result;
  }

  // Traversal

  /// The modules directly inside this one, by name.
  public final Map<String, Module> namedChildren() {
    return members(Module.class);
  }

  /// The modules directly inside this one, each once.
  public final List<Module> children() {
    return distinct(namedChildren().values());
  }

  /// This module and all inside it, by path, each once; the path of this module is empty.
  public final Map<String, Module> namedModules() {
    var result = new LinkedHashMap<String, Module>();
    var walk = new Nesting(this);
    collect("", walk, result, Collections.newSetFromMap(new IdentityHashMap<>()));
    return result;
  }

  private void collect(String path, Nesting walk, Map<String, Module> result, Set<Module> seen) {
    if (seen.add(this)) {
      result.put(path, this);
      walk.deeper();
      for (Map.Entry<String, Module> child : namedChildren().entrySet()) {
        child.getValue().collect(join(path, child.getKey()), walk, result, seen);
      }
      walk.back();
    }
  }

  /// This module and all inside it, each once.
  public final List<Module> modules() {
    return List.copyOf(namedModules().values());
  }

  /// The parameters of this module and of all inside it, by path, each once.
  public final Map<String, Parameter> namedParameters() {
    return named(Parameter.class);
  }

  /// The parameters of this module and of all inside it, each once.
  public final List<Parameter> parameters() {
    return List.copyOf(namedParameters().values());
  }

  /// The buffers of this module and of all inside it, by path, each once.
  public final Map<String, Buffer> namedBuffers() {
    return named(Buffer.class);
  }

  /// The buffers of this module and of all inside it, each once.
  public final List<Buffer> buffers() {
    return List.copyOf(namedBuffers().values());
  }

  private <T extends Tensor> Map<String, T> named(Class<T> type) {
    var result = new LinkedHashMap<String, T>();
    Set<Tensor> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    namedModules()
        .forEach((path, module) ->
            module
                .members(type)
                .forEach((name, tensor) -> {
                  if (seen.add(tensor)) {
                    result.put(join(path, name), tensor);
                  }
                }));
    return result;
  }

  private static <T> List<T> distinct(Collection<T> all) {
    Set<T> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    return all.stream().filter(seen::add).toList();
  }

  private static String join(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /// Calls `visitor` with every module inside this one, innermost first, and with this module last.
  ///
  /// @return this module
  public final Module apply(Consumer<Module> visitor) {
    apply("", visitor, new Nesting(this));
    return this;
  }

  private void apply(String path, Consumer<Module> visitor, Nesting walk) {
    walk.enter(path, this);
    Set<Module> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Map.Entry<String, Module> child : namedChildren().entrySet()) {
      if (seen.add(child.getValue())) {
        child.getValue().apply(join(path, child.getKey()), visitor, walk);
      }
    }
    walk.leave(this);
    visitor.accept(this);
  }

  // Modes

  /// Puts this module and all inside it into training mode, or out of it.
  ///
  /// @return this module
  public final Module train(boolean on) {
    modules().forEach(module -> module.training = on);
    return this;
  }

  /// Puts this module and all inside it into training mode: dropout drops, batch norm uses the batch.
  ///
  /// @return this module
  public final Module train() {
    return train(true);
  }

  /// Puts this module and all inside it into evaluation mode.
  ///
  /// @return this module
  public final Module eval() {
    return train(false);
  }

  /// Whether the module is in training mode, as new modules are.
  public final boolean isTraining() {
    return training;
  }

  /// Says whether gradients flow to the parameters.
  ///
  /// @return this module
  public final Module requiresGrad_(boolean on) {
    parameters().forEach(parameter -> parameter.requiresGrad_(on));
    return this;
  }

  /// Takes the gradients of all parameters away.
  public final void zeroGrad() {
    zeroGrad(true);
  }

  /// Takes the gradients of all parameters away, or fills them with zeros.
  public final void zeroGrad(boolean setToNone) {
    for (Parameter parameter : parameters()) {
      Tensor grad = parameter.grad();
      if (grad == null) {
        continue;
      }
      if (setToNone) {
        parameter.setGrad(null);
      } else {
        Autograd.noGrad(() -> grad.zero_());
      }
    }
  }

  /// Converts floating parameters, their gradients and floating buffers to `dtype`, in place.
  ///
  /// @return this module
  public final Module to(DType dtype) {
    if (!dtype.isFloatingPoint()) {
      throw new ArgumentException(
          "%s: to: the type of parameters must be floating, but is %s."
              .formatted(typeName(), dtype));
    }
    return convert(x -> x.dtype().isFloatingPoint() ? x.to(dtype) : x);
  }

  /// Moves parameters, their gradients and buffers to `device`, in place.
  ///
  /// @return this module
  public final Module to(Device device) {
    return convert(x -> {
      if (!x.device().equals(device)) {
        throw new DeviceException(
            "device: there is no backend for " + device + " here. Use Device.CPU.");
      }
      return x;
    });
  }

  private Module convert(Function<Tensor, Tensor> conversion) {
    Autograd.noGrad(() -> {
      parameters()
          .forEach(parameter -> {
            Tensor grad = parameter.grad();
            convert(parameter, conversion);
            if (grad != null) {
              parameter.setGrad(conversion.apply(grad));
            }
          });
      buffers().forEach(buffer -> convert(buffer, conversion));
    });
    return this;
  }

  private static void convert(Tensor tensor, Function<Tensor, Tensor> conversion) {
    Tensor converted = conversion.apply(tensor);
    if (converted != tensor) {
      tensor.setData(converted);
    }
  }

  // State

  /// The parameters and persistent buffers of this module and of all inside it, by path. The tensors share their memory
  /// with the module's and have no history.
  public final Map<String, Tensor> stateDict() {
    var result = new LinkedHashMap<String, Tensor>();
    state("", result, new Nesting(this));
    return result;
  }

  private void state(String path, Map<String, Tensor> result, Nesting walk) {
    walk.enter(path, this);
    members(Parameter.class).forEach((name, p) -> result.put(join(path, name), p.detach()));
    members(Buffer.class)
        .forEach((name, b) -> {
          if (!notPersistent.contains(name)) {
            result.put(join(path, name), b.detach());
          }
        });
    for (Map.Entry<String, Module> child : namedChildren().entrySet()) {
      child.getValue().state(join(path, child.getKey()), result, walk);
    }
    walk.leave(this);
  }

  /// Copies `state` into the parameters and buffers, converting types.
  ///
  /// @throws taper.tensor.StateDictException if keys or shapes differ; nothing has been copied then
  public final void loadStateDict(Map<String, ? extends Tensor> state) {
    loadStateDict(state, true);
  }

  /// Copies `state` into the parameters and buffers, converting types.
  ///
  /// @param strict whether the keys must be the same
  /// @return the keys that were left aside
  /// @throws taper.tensor.StateDictException if shapes differ, or keys do and `strict`; nothing has been copied then
  public final IncompatibleKeys loadStateDict(Map<String, ? extends Tensor> state, boolean strict) {
    return StateDicts.load(this, state, strict);
  }

  // Printing

  /// What [#toString()] says about the module itself, such as `in_features=784, out_features=128, bias=True`.
  protected String extraRepr() {
    return "";
  }

  /// The module as PyTorch prints it.
  @Override
  public String toString() {
    var text = new StringBuilder();
    print("", "\n", text, new Nesting(this));
    return text.toString();
  }

  /// Appends what the module is to `text`; `line` begins a new line.
  private void print(String path, String line, StringBuilder text, Nesting walk) {
    walk.enter(path, this);
    String extra = extraRepr();
    Map<String, Module> children = namedChildren();
    text.append(typeName()).append('(');
    if (children.isEmpty()) {
      text.append(
          extra.indexOf('\n') < 0
              ? extra
              : line + "  " + extra.indent(2).strip().replace("\n", line) + line);
    } else {
      String inner = line + "  ";
      if (!extra.isEmpty()) {
        text.append(inner).append(extra.replace("\n", inner));
      }
      for (Map.Entry<String, Module> entry : children.entrySet()) {
        String name = entry.getKey();
        Module child = entry.getValue();
        text.append(inner).append('(').append(name).append("): ");
        if (child.printsItself()) {
          text.append(child.toString().replace("\n", inner));
        } else {
          child.print(join(path, name), inner, text, walk);
        }
      }
      text.append(line);
    }
    text.append(')');
    walk.leave(this);
  }

  /// Whether the class has a [#toString()] of its own.
  private boolean printsItself() {
    try {
      return getClass().getMethod("toString").getDeclaringClass() != Module.class;
    } catch (NoSuchMethodException e) {
      throw new AssertionError("every class has it", e);
    }
  }

  /// The name of the class, as errors and [#toString()] give it.
  final String typeName() {
    Class<?> type = getClass();
    while (type.getSimpleName().isEmpty()) {
      type = type.getSuperclass();
    }
    return type.getSimpleName();
  }

  /// Tells every part of this module its path, once, for [Memory#summary()].
  final void nameParts() {
    if (labelledUnder != this) {
      namedModules()
          .forEach((path, part) -> {
            part.label = path.isEmpty() ? typeName() : path + " (" + part.typeName() + ")";
            part.labelledUnder = this;
          });
    }
  }

  /// The path of this module in the one that was called, and its type.
  final String label() {
    String known = label;
    return known == null ? typeName() : known;
  }
}
