package taper.tensor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Elements;
import taper.tensor.internal.Handle;
import taper.tensor.internal.Scope;
import taper.tensor.internal.Storage;
import taper.tensor.spi.CheckedSizes;
import taper.tensor.spi.Strided;

/// A multi-dimensional array of numbers, on a device, that can record how it came about.
///
/// A tensor is a small handle on memory outside the Java heap; views share memory. The memory comes back by itself, see
/// [Memory]. Threads may share a tensor that nobody writes to. Operators are methods, declared in the families that this
/// class implements; those that end in an underscore write into the tensor they are called on.
///
/// ```java
/// var x = Tensor.randn(2, 3).requiresGrad_(true);
/// var y = x.mul(x).sum();
/// y.backward();
/// System.out.println(x.grad()); // 2 x
/// ```
public sealed class Tensor extends TensorFactory
    implements Pointwise,
        Aliases,
        Activations,
        Comparisons,
        Reductions,
        Shapes,
        Indexing,
        LinearAlgebra,
        Convolutions,
        Pooling,
        Normalization,
        Recurrent,
        Losses,
        MarginLosses,
        Random,
        Creation,
        ComplexParts,
        Spectral,
        Decompositions,
        Bits,
        SpecialFunctions,
        Padding,
        Resizing,
        Unfolding,
        Embeddings,
        Attention,
        Distances,
        Dropouts,
        Scattering,
        Sorting,
        Scans,
        Statistics
    permits Parameter, Buffer {
  static {
    try {
      HANDLE = MethodHandles.lookup().findVarHandle(Tensor.class, "handle", Handle.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
    Libraries.provideMemory();
  }

  private static final VarHandle HANDLE;

  private final @Nullable Strided number; // null but for a number
  private @Nullable Handle handle; // memory and geometry; null for a number
  private @Nullable Meta meta;
  private final boolean inference;

  /// A tensor that holds `storage`.
  Tensor(Context context, Storage storage, Strided data) {
    this(context, storage, data, context.inferenceMode);
  }

  private Tensor(Context context, Storage storage, Strided data, boolean inference) {
    this.number = null;
    this.handle = new Handle(this, storage, data, context);
    this.inference = inference;
  }

  /// The same memory as `other`, with a hold of its own that belongs to no scope.
  Tensor(Tensor other) {
    Handle held = other.liveHandle();
    this.number = null;
    this.handle = new Handle(this, held.storage(), held.region(), Context.current());
    this.handle.adopt();
    this.inference = false;
  }

  private Tensor(Strided number) {
    this.number = number;
    this.handle = null;
    this.inference = false;
  }

  /// A number as an operand of rank 0.
  static Tensor number(double value) {
    return new Tensor(Strided.number(value));
  }

  /// A whole number as an operand of rank 0.
  static Tensor number(long value) {
    return new Tensor(Strided.number(value));
  }

  /// A complex number as an operand of rank 0.
  static Tensor number(Complex value) {
    return new Tensor(Strided.number(value));
  }

  /// A truth value as an operand of rank 0.
  static Tensor number(boolean value) {
    return new Tensor(Strided.number(value));
  }

  /// A new contiguous tensor, not zeroed.
  static Tensor allocate(Context context, DType dtype, long[] sizes, Device device) {
    if (device != Device.CPU && !device.equals(Device.CPU)) {
      throw new DeviceException(
          "device: there is no backend for " + device + " here. Use Device.CPU.");
    }
    Storage storage = Storage.allocate(CheckedSizes.bytes(dtype, sizes), context);
    try {
      return new Tensor(
          context,
          storage,
          Strided.of(storage.memory(), 0, dtype, sizes.clone(), Strided.contiguousStrides(sizes)));
    } catch (Throwable t) {
      storage.abandon();
      throw t;
    }
  }

  /// A new contiguous tensor of the sizes of `like`, not zeroed.
  static Tensor allocateLike(Context context, DType dtype, Strided like, Device device) {
    if (device != Device.CPU) {
      return allocate(context, dtype, like.sizes(), device);
    }
    Storage storage = Storage.allocate(like.byteSize(dtype), context);
    try {
      return new Tensor(context, storage, like.contiguousIn(storage.memory(), 0, dtype));
    } catch (Throwable t) {
      storage.abandon();
      throw t;
    }
  }

  /// A view of `self` with the given geometry, which remembers what it is a view of.
  static Tensor viewOf(Context context, Tensor self, Strided geometry) {
    Tensor view = new Tensor(context, self.storage(), geometry, self.inference);
    if (!self.inference) {
      Meta own = view.meta();
      Meta of = self.meta;
      own.base = of != null && of.base != null ? of.base : self;
      own.geometry = geometry;
      own.origin =
          of != null && of.origin != Meta.Origin.PLAIN
              ? of.origin
              : context.gradMode ? Meta.Origin.PLAIN : Meta.Origin.NOT_RECORDED;
      Meta baseMeta = own.base.meta;
      own.rebases = baseMeta == null ? 0 : baseMeta.rebases;
    }
    return view;
  }

  /// Notes how this view was made, unless that is known to be special already.
  final void madeAs(Meta.Origin origin) {
    if (meta != null && meta.base != null && meta.origin == Meta.Origin.PLAIN) {
      meta.origin = origin;
    }
  }

  final Meta.Origin origin() {
    return meta == null ? Meta.Origin.PLAIN : meta.origin;
  }

  // Random numbers

  /// Starts the process-wide generator anew, so that what follows can be repeated: `torch.manual_seed`.
  public static void manualSeed(long seed) {
    Generator.global().manualSeed(seed);
  }

  @Override
  public final Tensor self() {
    return this;
  }

  // What it is

  /// The sizes.
  public final Shape shape() {
    return Shape.of(region().sizes());
  }

  /// The size of dimension `dim`, which counts from the end if it is negative.
  ///
  /// @throws ArgumentException if there is no such dimension
  public final long size(int dim) {
    return region().size(Views.existing("size", dim, this));
  }

  /// The number of dimensions.
  public final int dim() {
    return region().rank();
  }

  /// The number of elements.
  public final long numel() {
    return region().numel();
  }

  /// The type of the elements.
  public final DType dtype() {
    return region().dtype();
  }

  /// Where the memory is.
  public final Device device() {
    return handle == null ? Device.CPU : handle.storage().device();
  }

  /// The distance between neighbours along `dim`, in elements.
  public final long stride(int dim) {
    return region().stride(Views.existing("stride", dim, this));
  }

  /// The distances between neighbours, in elements.
  public final long[] strides() {
    return region().strides();
  }

  /// Where the first element lies in the memory shared with other views, in elements.
  public final long storageOffset() {
    return region().byteOffset() / region().dtype().byteSize();
  }

  /// Whether the elements lie densely in row-major order.
  public final boolean isContiguous() {
    return region().isContiguous();
  }

  /// Whether both look at the same memory.
  public final boolean sharesStorageWith(Tensor other) {
    Handle own = handle();
    Handle others = other.handle();
    return own != null && others != null && own.storage() == others.storage();
  }

  final long[] sizes() {
    return region().sizes();
  }

  /// The sizes; not to be changed.
  final long[] sizesInternal() {
    return region().sizes();
  }

  final boolean isNumber() {
    return handle == null;
  }

  /// The hold on memory of this moment, or null for a number. Another thread may put another in its place, see
  /// [#setData(Tensor)].
  private @Nullable Handle handle() {
    return (Handle) HANDLE.getAcquire(this);
  }

  private Strided region() {
    Handle held = handle();
    if (held != null) {
      return held.region();
    }
    assert number != null;
    return number;
  }

  /// The geometry and memory.
  ///
  /// @throws ReleasedException if the memory has been released
  final Strided data() {
    Handle held = handle();
    if (held != null && held.isReleased()) {
      throw released(held);
    }
    return held != null ? held.region() : region();
  }

  private static ReleasedException released(Handle gone) {
    Strided region = gone.region();
    return new ReleasedException(
        "tensor: this %s tensor of shape %s must be alive, but was released by %s. Call keep() on it before the scope ends, or use its values inside."
            .formatted(region.dtype(), Shape.of(region.sizes()), gone.releasedBy()));
  }

  private Handle liveHandle() {
    Handle held = handle();
    if (held == null) {
      throw new IllegalStateException("a number has no storage");
    }
    if (held.isReleased()) {
      throw released(held);
    }
    return held;
  }

  final Storage storage() {
    return liveHandle().storage();
  }

  /// The memory as backends and file formats see it. Whoever uses it keeps this tensor reachable meanwhile, and sees to it
  /// that nothing releases it; [#whileHeld] does both.
  public final Strided strided() {
    return data();
  }

  /// Calls `body` with the memory, which no other thread and no scope gives away meanwhile.
  ///
  /// @throws ReleasedException if the memory has been released
  public final <T> T whileHeld(java.util.function.Function<Strided, T> body) {
    Context context = Context.current();
    int before = context.held();
    try {
      return body.apply(hold(context));
    } finally {
      context.letGo(before);
      Reference.reachabilityFence(this);
    }
  }

  /// Works on the memory until the context lets go of it, and returns it.
  ///
  /// @throws ReleasedException if it has been released
  final Strided hold(Context context) {
    Handle held = handle();
    if (held == null) {
      return region();
    }
    if (!context.hold(held)) {
      throw released(held);
    }
    return held.region();
  }

  /// Whether the memory and its geometry are those that were held when `position` others were.
  final boolean isHeld(Context context, int position) {
    Handle held = handle();
    return held == null || context.isHeld(position, held);
  }

  /// Returns a contiguous copy.
  @Override
  @SuppressWarnings(
      "MissingSuperCall") // PyTorch's name; Object.clone() has nothing to add to a handle
  public final Tensor clone() {
    return Creation.Operators.CLONE.on(Operator.None.NONE, this);
  }

  // Memory

  /// Takes the tensor out of every scope: it lives as long as somebody refers to it.
  public final Tensor keep() {
    if (handle != null) {
      data();
      handle.keep();
    }
    return this;
  }

  /// Whether the memory has been released.
  public final boolean isReleased() {
    return handle != null && handle.isReleased();
  }

  final void passFrom(Scope frame) {
    if (handle != null) {
      frame.pass(handle);
    }
    if (meta != null && meta.base != null) {
      meta.base.passFrom(frame); // an in-place write to the view gives the base a new history
    }
  }

  final void moveTo(Scope scope) {
    if (handle != null) {
      data();
      scope.take(handle);
    }
  }

  /// Gives the tensor to the scope in force if it was made since `before`, outside of every scope, and not kept.
  final void entrust(Context context, long before) {
    if (handle != null && handle.id() > before) {
      Scope.giveBack(context, handle);
    }
    if (meta != null && meta.base != null) {
      meta.base.entrust(context, before);
    }
  }

  final void pin() {
    if (handle != null) {
      handle.pin();
    }
  }

  final void unpin() {
    if (handle != null) {
      handle.unpin();
    }
  }

  final boolean isLooseIn(Context context) {
    return handle != null && handle.isLooseIn(context);
  }

  final boolean isExclusive() {
    return handle != null && handle.isExclusive();
  }

  final void adopt() {
    if (handle != null) {
      handle.adopt();
    }
  }

  /// Says that a user's code gets to see the tensor, and may keep it.
  final Tensor shown(Context context) {
    if (handle != null) {
      Scope.show(context, handle);
    }
    return this;
  }

  /// Releases the memory of a temporary that nobody else knows.
  final void releaseNow() {
    if (handle != null) {
      handle.release(null);
    }
  }

  final int version() {
    return handle == null ? 0 : handle.storage().version();
  }

  final void written() {
    storage().written();
  }

  /// Looks at the memory of `other` from now on, as an assignment to `data` does in PyTorch. History and gradient stay.
  ///
  /// @throws AutogradException if this tensor has a history
  public final Tensor setData(Tensor other) {
    Checks.assignedData(this, other);
    Handle source = other.liveHandle();
    Handle next = new Handle(this, source.storage(), source.region(), Context.current());
    next.adopt();
    replace(next);
    return this;
  }

  /// Looks at the memory that it holds with another geometry from now on.
  final void seeAs(Strided geometry) {
    Handle held = liveHandle();
    replace(held.seenAs(this, geometry, Context.current()));
  }

  private void replace(Handle next) {
    Handle before = (Handle) HANDLE.getAndSet(this, next);
    if (before != null) {
      before.release("setData");
    }
  }

  // Autograd

  final Meta meta() {
    Meta known = meta;
    if (known == null) {
      known = new Meta();
      meta = known;
    }
    return known;
  }

  private @Nullable Meta freshMeta() {
    Meta known = meta;
    if (known != null && known.base != null) {
      Meta of = known.base.meta;
      if (of != null && of.rebases != known.rebases) {
        InPlace.refresh(this);
      }
    }
    return known;
  }

  /// Whether gradients flow to this tensor.
  public final boolean requiresGrad() {
    if (meta == null) {
      return false;
    }
    Meta known = freshMeta();
    return known != null && known.requiresGrad;
  }

  /// Says whether gradients shall flow to this tensor.
  ///
  /// @throws AutogradException if it is no leaf, or its type is neither floating nor complex
  public final Tensor requiresGrad_(boolean on) {
    Checks.mayRequireGrad(this, on);
    if (gradFn() == null) {
      meta().requiresGrad = on;
    }
    return this;
  }

  /// Asks for gradients: `requiresGrad_(true)`.
  public final Tensor requiresGrad_() {
    return requiresGrad_(true);
  }

  /// The step of the graph that this tensor is the result of, or null for a leaf.
  public final @Nullable Node gradFn() {
    Meta known = freshMeta();
    return known == null ? null : known.gradFn;
  }

  /// Whether the tensor was made by its user, not by a recorded operator.
  public final boolean isLeaf() {
    return gradFn() == null;
  }

  final boolean isViewOfWhatRequiresGrad() {
    return meta != null && meta.base != null && meta.base.requiresGrad();
  }

  /// Whether a write that is recorded would give a leaf a history: the base, or a view in between that is a leaf itself.
  final boolean isViewOfLeafThatRequiresGrad() {
    return meta != null
        && meta.base != null
        && meta.base.isLeaf()
        && (meta.base.requiresGrad() || requiresGrad());
  }

  /// The gradient that backward passes have accumulated here, or null if none has arrived.
  public final @Nullable Tensor grad() {
    return meta == null ? null : meta.grad;
  }

  /// Replaces the gradient; null takes it away. One that backward passes made then belongs to the memory scope in force,
  /// unless somebody has called [#keep()] on it; without a scope it lives as long as somebody refers to it.
  ///
  /// @throws ShapeException if its shape is another
  public final void setGrad(@Nullable Tensor grad) {
    Checks.assignedGradient(this, grad);
    if (grad != null) {
      grad.keep();
    }
    if (grad != null || meta != null) {
      Meta known = meta();
      Tensor before;
      synchronized (known) {
        before = known.grad;
        known.grad = grad;
      }
      if (before != null && before != grad && before.handle != null) {
        Scope.giveBack(Context.current(), before.handle);
      }
    }
  }

  /// Keeps the gradient of this result of an operator in [#grad()], as if it were a leaf. Hooks see it first.
  public final Tensor retainGrad() {
    if (!requiresGrad()) {
      throw new AutogradException(
          "retainGrad: the tensor must require grad, but does not. Call requiresGrad_(true) on what"
              + " it is computed from.");
    }
    Node node = gradFn();
    Meta known = meta();
    if (node != null && !known.retainsGrad) {
      known.retainsGrad = true;
      node.hooks().retain(known.output, this);
    }
    return this;
  }

  /// Whether this is the result of an operator whose gradient is kept, see [#retainGrad()].
  public final boolean retainsGrad() {
    return meta != null && meta.retainsGrad;
  }

  /// Calls `hook` with the gradient of this tensor whenever one is computed; what it returns goes on in its place.
  ///
  /// Hooks run in the order of their registration. One that was registered before an in-place operator sees the
  /// gradient by the value from before.
  ///
  /// @return a guard that takes the hook away
  public final Guard registerHook(UnaryOperator<Tensor> hook) {
    Node.Edge edge = edge();
    if (edge == null) {
      throw new AutogradException(
          "registerHook: the tensor must require grad, but does not. Call requiresGrad_(true) on it"
              + " or on what it is computed from.");
    }
    return edge.node().hooks().of(edge.output()).add(hook);
  }

  /// Calls `hook` with this leaf whenever a backward pass has added to its [#grad()]: an optimizer may take its step and
  /// let go of the gradient there, before the next one is computed.
  ///
  /// @return a guard that takes the hook away
  /// @throws AutogradException if this is no leaf that requires grad
  public final Guard registerPostAccumulateGradHook(Consumer<Tensor> hook) {
    Node.Edge edge = edge();
    if (edge != null && edge.node() instanceof AccumulateGrad accumulator) {
      return accumulator.addAfterwards(hook);
    }
    throw new AutogradException(
        "registerPostAccumulateGradHook: the tensor must be a leaf that requires grad, but %s. Use registerHook for the results of operators."
            .formatted(edge == null ? "requires none" : "is the result of " + edge.node()));
  }

  /// Where the gradient of this tensor goes, or null if nobody wants it.
  final Node.@Nullable Edge edge() {
    if (!requiresGrad()) {
      return null;
    }
    Meta known = meta();
    if (known.gradFn != null) {
      return new Node.Edge(known.gradFn, known.output);
    }
    AccumulateGrad accumulator = known.accumulator;
    return new Node.Edge(accumulator != null ? accumulator : accumulator(known), 0);
  }

  private AccumulateGrad accumulator(Meta known) {
    synchronized (known) { // threads that share a leaf share its accumulator
      AccumulateGrad accumulator = known.accumulator;
      if (accumulator == null) {
        accumulator = new AccumulateGrad(this);
        known.accumulator = accumulator;
      }
      return accumulator;
    }
  }

  final void attach(Node node, int output) {
    Meta known = meta();
    known.gradFn = node;
    known.output = output;
    known.requiresGrad = true;
  }

  /// Computes the gradients of this scalar by all leaves that it depends on, and adds them to their [#grad()].
  ///
  /// @throws AutogradException if it is no scalar, or has no history, or the graph was freed
  public final void backward() {
    Autograd.backward(this, null, false, false);
  }

  /// As [#backward()], for a tensor of any shape, with the gradient of something by it.
  public final void backward(Tensor gradient) {
    Autograd.backward(this, gradient, false, false);
  }

  /// As [#backward()].
  ///
  /// @param retainGraph whether another backward pass may follow
  /// @param createGraph whether the gradients themselves are recorded, for higher derivatives
  public final void backward(@Nullable Tensor gradient, boolean retainGraph, boolean createGraph) {
    Autograd.backward(this, gradient, retainGraph, createGraph);
  }

  /// As [#backward()], with options: `loss.backward(o -> o.retainGraph(true).inputs(w))`.
  public final void backward(UnaryOperator<BackwardOptions> options) {
    Autograd.backward(List.of(this), options);
  }

  /// The same memory without a history.
  public final Tensor detach() {
    Handle held = liveHandle();
    return new Tensor(Context.current(), held.storage(), held.region(), inference);
  }

  /// Takes this tensor out of the graph: it becomes a leaf that requires no grad.
  ///
  /// @throws AutogradException if it is a view, whose base would go on with the history
  public final Tensor detach_() {
    Meta known = meta;
    if (known != null && known.base != null) {
      throw Checks.viewStays(this);
    }
    if (known != null) {
      Node before = known.gradFn;
      if (known.retainsGrad && before != null) {
        before.hooks().forget(known.output, this);
      }
      known.retainsGrad = false;
      known.gradFn = null;
      known.output = 0;
      known.requiresGrad = false;
    }
    return this;
  }

  /// Whether this tensor was made in [Autograd#inferenceMode()]: it can neither be saved by a graph nor, outside of that
  /// mode, be written to.
  public final boolean isInference() {
    return inference;
  }

  // Values

  /// The value of a tensor with one element.
  ///
  /// @throws ShapeException if it has more or none
  /// @throws DTypeException if it is complex
  public final double item() {
    Checks.oneElement(this);
    Checks.real("item", "complexItem()", this);
    return whileHeld(x -> new Elements(x).at(0));
  }

  /// The value of a tensor with one element, as a complex number.
  ///
  /// @throws ShapeException if it has more or none
  public final Complex complexItem() {
    Checks.oneElement(this);
    return whileHeld(x -> {
      var elements = new Elements(x);
      return new Complex(elements.realAt(0), elements.imaginaryAt(0));
    });
  }

  /// The value of a tensor with one element, as a whole number.
  ///
  /// @throws ShapeException if it has more or none
  /// @throws DTypeException if it is complex
  public final long itemLong() {
    Checks.oneElement(this);
    Checks.real("itemLong", "complexItem()", this);
    return whileHeld(x -> new Elements(x).wholeAt(0));
  }

  /// The value of a tensor with one element, as a truth value.
  ///
  /// @throws ShapeException if it has more or none
  public final boolean itemBoolean() {
    return dtype().isComplex() ? complexItem().re() != 0 || complexItem().im() != 0 : item() != 0;
  }

  /// The elements in row-major order, converted to `float`.
  public final float[] toFloatArray() {
    Checks.real("toFloatArray", "toComplexArray()", this);
    return whileHeld(NestedArrays::floats);
  }

  /// The elements in row-major order, converted to `double`.
  public final double[] toDoubleArray() {
    Checks.real("toDoubleArray", "toComplexArray()", this);
    return whileHeld(NestedArrays::doubles);
  }

  /// The elements in row-major order, converted to `long`; fractions are cut off.
  public final long[] toLongArray() {
    Checks.real("toLongArray", "toComplexArray()", this);
    return whileHeld(NestedArrays::longs);
  }

  /// The elements in row-major order, as complex numbers.
  public final Complex[] toComplexArray() {
    return whileHeld(NestedArrays::complexNumbers);
  }

  /// The tensor as PyTorch prints it.
  @Override
  public String toString() {
    if (isReleased()) {
      return "tensor(released, shape=" + shape() + ", dtype=" + dtype() + ")";
    }
    return Printing.print(this, PrintOptions.current());
  }

  /// The elements as text, printed otherwise than [PrintOptions#current()] says.
  public final String toString(UnaryOperator<PrintOptions> options) {
    return Printing.print(this, options.apply(PrintOptions.current()));
  }
}
