package taper.tensor;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Heap;
import taper.tensor.internal.Scope;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// The way from `x.add(y)` to a kernel: interpreters, then autograd, then the kernel.
///
/// With no interpreter in force no [Call] is made. Everything is checked before anything is written.
final class Dispatch {
  private Dispatch() {}

  static <A extends Record> Tensor[] call(
      Operator<A> op, A attributes, @Nullable Tensor[] in, @Nullable Tensor target) {
    Context context = Context.current();
    if (context.shortages != Heap.shortages()) {
      context.shortages = Heap.shortages();
      Libraries.relieve();
    }
    int before = context.held();
    try {
      hold(context, in, target);
      Checks.call(op, attributes, in, target);
      if (context.interpreters != null) {
        return interpret(context, op, attributes, in, target);
      }
      return switch (op.definition()) {
        case Definition.Pointwise<A> pointwise ->
            pointwise(context, op, pointwise, attributes, in, target);
        case Definition.Structured<A> _ -> structured(context, op, attributes, in, target);
        case Definition.View<A> view -> view(context, op, view, attributes, in);
        case Definition.Composite<A> composite ->
            composite(context, op, composite, attributes, in, target);
      };
    } catch (MemoryLimitException e) {
      throw e.of(op.name());
    } catch (OutOfMemoryError e) {
      throw heapIsFull(op, e);
    } catch (ArithmeticException e) {
      throw overflown(op, in, e);
    } finally {
      context.letGo(before);
      Reference.reachabilityFence(in);
    }
  }

  // No other thread gives memory away that a call works on, see Storage.

  private static void hold(Context context, @Nullable Tensor[] in, @Nullable Tensor target) {
    boolean apart = target != null;
    for (Tensor x : in) {
      if (x != null) {
        x.hold(context);
        apart &= x != target;
      }
    }
    if (apart && target != null) {
      target.hold(context);
    }
  }

  /// Checks, before the kernel runs, that what was checked of the operands is still true: that no other thread has given
  /// one of them other memory or another shape.
  private static void requireHeld(
      Context context, Operator<?> op, @Nullable Tensor[] in, @Nullable Tensor target) {
    int position = context.held();
    boolean apart = target != null;
    for (Tensor x : in) {
      apart &= x != target;
    }
    boolean same = true;
    if (apart && target != null) {
      same = target.isHeld(context, --position);
    }
    for (int i = in.length - 1; i >= 0; i--) {
      Tensor x = in[i];
      if (x != null && !x.isNumber()) {
        same &= x.isHeld(context, --position);
      }
    }
    if (!same) {
      throw new ReleasedException(
          "%s: operands must keep their memory while an operator runs, but setData or resize_ on another thread has given one of them other memory. Let threads take turns."
              .formatted(op.name()));
    }
  }

  /// Kernels that count in 31 bits do so exactly; sizes beyond are refused where they meet one.
  private static RuntimeException overflown(
      Operator<?> op, @Nullable Tensor[] in, ArithmeticException e) {
    if (e.getMessage() == null || !e.getMessage().endsWith("overflow")) {
      return e;
    }
    List<String> shapes =
        Arrays.stream(in)
            .map(x -> x == null ? "none" : x.data().isNumber() ? "a number" : x.shape().toString())
            .toList();
    var failure =
        new ShapeException(
            "%s: the sizes must be small enough to be counted in 31 bits, but the shapes are %s. Use smaller tensors, or work on parts of them."
                .formatted(op.name(), String.join(", ", shapes)));
    failure.initCause(e);
    return failure;
  }

  private static MemoryLimitException heapIsFull(Operator<?> op, OutOfMemoryError e) {
    var failure =
        new MemoryLimitException(
            "%s: the working memory must fit the Java heap, but its %d bytes do not suffice (%s). Use smaller tensors, or raise -Xmx."
                .formatted(op.name(), Runtime.getRuntime().maxMemory(), e.getMessage()));
    failure.initCause(e);
    return failure;
  }

  /// The first output of an operator that has several.
  static <A extends Record> Tensor first(Operator<A> op, A attributes, @Nullable Tensor[] in) {
    try (var frame = Scope.frame(Context.current())) {
      Tensor result = call(op, attributes, in, null)[0];
      result.passFrom(frame);
      return result;
    }
  }

  private static <A extends Record> Tensor[] interpret(
      Context context,
      Operator<A> op,
      A attributes,
      @Nullable Tensor[] in,
      @Nullable Tensor target) {
    var frame = (InterpreterFrame) context.interpreters;
    assert frame != null;
    context.interpreters = null; // what the interpreter itself does is not interpreted
    for (Tensor x : in) {
      if (x != null) {
        x.shown(context);
      }
    }
    Scope inside = Scope.leaveFrames(context);
    try {
      var call = new Call<>(op, attributes, in, target, frame.inner());
      List<Tensor> results = frame.interpreter().interpret(call);
      if (results == null || results.stream().anyMatch(Objects::isNull)) {
        throw new ArgumentException(
            "%s: an interpreter must return the outputs of the call, but returned %s. Return call.proceed()."
                .formatted(op.name(), results == null ? "null" : "a list with null in it"));
      }
      return results.toArray(Tensor[]::new);
    } finally {
      Scope.reenter(context, inside);
      context.interpreters = frame;
    }
  }

  private static boolean wantsGrad(Context context, Operator<?> op, @Nullable Tensor[] in) {
    if (!context.gradMode || !op.isDifferentiable()) {
      return false;
    }
    for (Tensor x : in) {
      if (x != null && x.requiresGrad()) {
        return true;
      }
    }
    return false;
  }

  // Pointwise

  private static <A extends Record> Tensor[] pointwise(
      Context context,
      Operator<A> op,
      Definition.Pointwise<A> pointwise,
      A attributes,
      @Nullable Tensor[] in,
      @Nullable Tensor target) {
    DType compute = op.dtypes().compute(op, in);
    Device device = Checks.oneDevice(op, in);
    Parameters parameters = pointwise.parameters().apply(attributes);
    int numbers = 0;
    for (int i = 0; i < in.length; i++) {
      Tensor x = in[i];
      if (x != null && x.isNumber()) {
        numbers |= 1 << i;
        parameters = parameters.plus(DTypes.wrapped(compute, x.data()));
      }
    }
    Operator<A> plain = op;
    @Nullable Tensor[] tensors = in;
    if (numbers != 0) {
      op = op.withNumbers(numbers);
      tensors = without(in, numbers);
    }
    DType result = op.dtypes().result(0, compute);
    boolean grad = wantsGrad(context, op, tensors) && result.isDifferentiable();
    if (target != null) {
      Checks.mayWrite(context, plain, target, grad, result);
    }
    Strided shape = broadcast(op, tensors);
    if (target != null && !shape.sameSizes(target.data())) {
      throw new ShapeException(
          "%s_: the result has shape %s, but is written into a tensor of shape %s. Use %s instead."
              .formatted(
                  plain.name(), Arrays.toString(shape.sizes()), target.shape(), plain.name()));
    }
    OperatorNode<A> node =
        grad ? OperatorNode.begin(op, attributes, parameters, tensors, target) : null;

    DType kernelCompute = compute.compute();
    DType kernelResult = op.dtypes().result(0, kernelCompute);
    Strided[] inputs = new Strided[tensors.length];
    Tensor[] temporaries = new Tensor[tensors.length + 1];
    for (int i = 0; i < tensors.length; i++) {
      Tensor x = tensors[i];
      assert x != null;
      if (x.dtype() != kernelCompute
          || target != null && x != target && Checks.overlap(x, target)) {
        temporaries[i] = Copies.converted(x, kernelCompute);
        x = temporaries[i];
      }
      inputs[i] = x.data();
      if (!shape.sameSizes(inputs[i])) {
        inputs[i] = Views.expand(inputs[i], shape.sizes());
      }
    }
    Tensor given =
        target != null || context.out == null
            ? target
            : OutSlot.place(context, plain, in, grad, result, shape);
    Tensor out =
        given != null && given.dtype() == kernelResult
            ? given
            : Tensor.allocateLike(context, kernelResult, shape, device);
    Kernel kernel = op.kernel(kernelCompute, kernelResult);
    Strided[] outputs = {out.data()};
    requireHeld(context, plain, in, target);
    run(kernel, parameters, outputs, inputs);
    if (given != null && out != given) {
      Copies.convertInto(given, out);
      temporaries[tensors.length] = out;
      out = given;
    } else if (result != kernelResult) {
      temporaries[tensors.length] = out;
      out = Copies.converted(out, result);
    }
    release(temporaries);
    return finish(context, node, new Tensor[] {out}, target);
  }

  private static Tensor[] without(@Nullable Tensor[] in, int mask) {
    Tensor[] result = new Tensor[in.length - Integer.bitCount(mask)];
    for (int i = 0, k = 0; i < in.length; i++) {
      Tensor x = in[i];
      if ((mask & 1 << i) == 0 && x != null) {
        result[k++] = x;
      }
    }
    return result;
  }

  /// A region that has the sizes to which all inputs broadcast; the first input's own where no other is larger.
  private static Strided broadcast(Operator<?> op, @Nullable Tensor[] in) {
    if (in.length == 0) {
      return Strided.number(0.0);
    }
    Tensor first = in[0];
    assert first != null;
    Strided shape = first.data();
    for (int i = 1; i < in.length; i++) {
      Tensor x = in[i];
      assert x != null;
      Strided other = x.data();
      if (!shape.sameSizes(other)) {
        long[] sizes =
            op.signature()
                .broadcast(
                    shape.sizes(),
                    (i == 1 ? op.signature().nameOf(0, in.length) + " " : "the shape so far ")
                        + Arrays.toString(shape.sizes()),
                    other.sizes(),
                    op.signature().nameOf(i, in.length) + " " + Arrays.toString(other.sizes()));
        shape = shape.view(0, sizes, new long[sizes.length]);
      }
    }
    return shape;
  }

  // Structured

  private static <A extends Record> Tensor[] structured(
      Context context,
      Operator<A> op,
      A attributes,
      @Nullable Tensor[] in,
      @Nullable Tensor target) {
    DType compute = op.dtypes().compute(op, in);
    Device device = Checks.oneDevice(op, in);
    boolean grad = wantsGrad(context, op, in);
    if (target != null) {
      Checks.mayWrite(context, op, target, grad, resultOf(op, attributes, 0, compute));
    }
    for (int i = 0; i < in.length && op.mutates(); i++) {
      Tensor x = in[i];
      if (x != null && op.mutates(i, in.length)) {
        Checks.mayWrite(context, op, x, false, x.dtype());
      }
    }
    long[] @Nullable [] shapes = new long[in.length][];
    for (int i = 0; i < in.length; i++) {
      Tensor x = in[i];
      shapes[i] = x == null ? null : x.sizesInternal();
    }
    List<long[]> outShapes = op.shapes(attributes, Arrays.asList(shapes));
    op.check(attributes, in);
    OperatorNode<A> node =
        grad ? OperatorNode.begin(op, attributes, Parameters.NONE, in, target) : null;
    Tensor[] out = execute(context, op, attributes, in, target, compute, device, outShapes);
    for (int i = 0; i < in.length && op.mutates(); i++) {
      Tensor x = in[i];
      if (x != null && op.mutates(i, in.length)) {
        x.written();
      }
    }
    return finish(context, node, out, target);
  }

  private static <A extends Record> Tensor[] execute(
      Context context,
      Operator<A> op,
      A attributes,
      @Nullable Tensor[] in,
      @Nullable Tensor target,
      DType compute,
      Device device,
      List<long[]> outShapes) {
    boolean any = op.dtypes().rule() == DTypes.Rule.ANY;
    boolean sums = op.dtypes().rule() == DTypes.Rule.SUM; // kernels read whole numbers of any width
    DType kernelCompute = any ? compute : compute.compute();
    int count = outShapes.size();
    Kernel kernel =
        op.kernel(
            kernelCompute, count == 0 ? kernelCompute : resultOf(op, attributes, 0, kernelCompute));
    boolean strides = kernel.anyStrides();

    @Nullable Strided[] inputs = new Strided[in.length];
    Tensor[] temporaries = new Tensor[in.length + count];
    @Nullable DType blockwise = null; // the type in which a kernel reads its input, block by block
    for (int i = 0; i < in.length; i++) {
      Tensor x = in[i];
      if (x == null) {
        continue;
      }
      DType fixed =
          op.dtypes().hasFixed()
              ? op.dtypes().fixedType(op.signature().operandAt(i, in.length).name())
              : null;
      boolean asIs = any || sums && !x.dtype().isDifferentiable();
      DType wanted = fixed != null ? fixed : asIs ? x.dtype() : kernelCompute;
      boolean copy =
          x.isNumber()
              || x.dtype() != wanted
              || !strides && !x.isContiguous()
              || target != null && x != target && Checks.overlap(x, target);
      if (copy && target == null && BlockwiseReductions.suit(op, x.data(), wanted)) {
        blockwise = wanted;
      } else if (copy) {
        temporaries[i] = Copies.converted(x, wanted);
        x = temporaries[i];
      }
      inputs[i] = x.data();
    }
    Tensor given = target;
    if (target == null && context.out != null && count > 0) {
      boolean recorded = wantsGrad(context, op, in);
      DType result = resultOf(op, attributes, 0, compute);
      given = OutSlot.place(context, op, in, recorded, result, outShapes.get(0));
    }
    Tensor[] out = new Tensor[count];
    Strided[] outputs = new Strided[count];
    for (int o = 0; o < count; o++) {
      DType type = resultOf(op, attributes, o, kernelCompute);
      out[o] =
          o == 0 && given != null && given.dtype() == type && (strides || given.isContiguous())
              ? given
              : Tensor.allocate(context, type, outShapes.get(o), device);
      outputs[o] = out[o].data();
    }
    if (target != null && !Arrays.equals(outShapes.get(0), target.sizesInternal())) {
      throw new ShapeException(
          "%s_: the result has shape %s, but is written into a tensor of shape %s."
              .formatted(op.name(), Arrays.toString(outShapes.get(0)), target.shape()));
    }
    requireHeld(context, op, in, target);
    try {
      if (blockwise != null) {
        BlockwiseReductions.run(op, attributes, kernel, present(inputs)[0], blockwise, outputs);
      } else {
        kernel.run(attributes, outputs, present(inputs));
      }
    } catch (MemoryLimitException e) {
      if (given != null || op.mutates() || blockwise != null) {
        throw e; // it may have overwritten what it reads
      }
      Libraries.relieve(); // what other kernels kept may be enough
      kernel.run(attributes, outputs, present(inputs));
    }
    for (int i = 0; i < in.length; i++) {
      Tensor original = in[i];
      Tensor converted = temporaries[i];
      if (original != null && converted != null && op.mutates(i, in.length)) {
        Copies.convertInto(original, converted); // the kernel has overwritten the copy
      }
    }
    for (int o = 0; o < count; o++) {
      DType type = resultOf(op, attributes, o, compute);
      if (o == 0 && given != null) {
        if (out[o] != given) {
          Copies.convertInto(given, out[o]);
          temporaries[in.length] = out[o];
          out[o] = given;
        }
      } else if (out[o].dtype() != type) {
        temporaries[in.length + o] = out[o];
        out[o] = Copies.converted(out[o], type);
      }
    }
    release(temporaries);
    return out;
  }

  private static DType resultOf(Operator<?> op, Record attributes, int output, DType computed) {
    return attributes instanceof DTypes.Chosen chosen && output == 0
        ? chosen.dtype()
        : op.dtypes().result(output, computed);
  }

  /// Kernels test absent inputs for null; the array's type cannot say so.
  @SuppressWarnings("NullAway")
  private static Strided[] present(@Nullable Strided[] inputs) {
    return inputs;
  }

  // Views

  private static <A extends Record> Tensor[] view(
      Context context,
      Operator<A> op,
      Definition.View<A> view,
      A attributes,
      @Nullable Tensor[] in) {
    Tensor self = in[0];
    assert self != null;
    if (self.isNumber()) {
      throw new ArgumentException(
          "%s: self must be a tensor, but is the Java number %s, which has no memory to see. Use Tensor.scalar."
              .formatted(op.name(), self.data()));
    }
    Strided seen = view.geometry().apply(attributes, self.data());
    boolean grad = wantsGrad(context, op, in);
    OperatorNode<A> node =
        grad ? OperatorNode.begin(op, attributes, Parameters.NONE, in, null) : null;
    Tensor out = Tensor.viewOf(context, self, seen);
    requireHeld(context, op, in, null); // else it may hold other memory than it sees
    return finish(context, node, new Tensor[] {out}, null);
  }

  // Compositions

  private static <A extends Record> Tensor[] composite(
      Context context,
      Operator<A> op,
      Definition.Composite<A> composite,
      A attributes,
      @Nullable Tensor[] in,
      @Nullable Tensor target) {
    op.check(attributes, in);
    // With gradients of its own it is one step of the graph, and what it is made of is not
    // recorded.
    boolean own = !op.gradients().isEmpty() && wantsGrad(context, op, in);
    OperatorNode<A> node =
        own ? OperatorNode.begin(op, attributes, Parameters.NONE, in, null) : null;
    boolean mode = context.gradMode;
    Tensor[] out;
    try (var frame = Scope.frame(context)) {
      context.gradMode = mode && !own;
      out = composite.body().apply(attributes, new Inputs(op, in));
      for (Tensor tensor : out) {
        tensor.passFrom(frame);
      }
    } finally {
      context.gradMode = mode;
    }
    if (node != null) {
      finish(context, node, out, null);
    }
    if (target != null) {
      target.copy_(out[0]);
      out[0] = target;
    }
    return out;
  }

  // Shared

  private static void run(Kernel kernel, Record attributes, Strided[] outputs, Strided[] inputs) {
    assert kernel.anyStrides() : "pointwise kernels take any strides";
    kernel.run(attributes, outputs, inputs);
  }

  private static void release(@Nullable Tensor[] temporaries) {
    for (Tensor temporary : temporaries) {
      if (temporary != null) {
        temporary.releaseNow();
      }
    }
  }

  private static <A extends Record> Tensor[] finish(
      Context context, @Nullable OperatorNode<A> node, Tensor[] out, @Nullable Tensor target) {
    if (target != null) {
      target.written();
    }
    if (node != null) {
      node.end(out);
      if (context.anomalyMode) {
        node.recordOrigin();
      }
      if (context.hasScope()) {
        Scope.atEnd(context, node::release);
      }
      if (target != null) {
        InPlace.rebase(target, node, 0);
      } else {
        for (int o = 0; o < out.length; o++) {
          if (out[o].dtype().isDifferentiable() && !node.operator().auxiliary().contains(o)) {
            out[o].attach(node, o);
          }
        }
      }
    }
    return out;
  }
}
