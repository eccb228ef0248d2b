package taper.golden.bindings;

import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.tensor.Generator;
import taper.tensor.Tensor;

/// Members of tensors, types, devices, modes and generators.
public final class MemberBindings {
  private MemberBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.ELEMENTWISE);
    table.bind("Tensor.shape", "shape()", a -> a.self().shape());
    table.bind(
        "Tensor.size",
        "shape(), size(dim)",
        a -> a.has(1, "dim") ? (Object) a.self().size(a.dim(1, "dim")) : a.self().shape());
    table.bind("Tensor.dim", "dim()", a -> a.self().dim());
    table.bind("Tensor.ndim", "dim()", a -> a.self().dim());
    table.bind("Tensor.numel", "numel()", a -> a.self().numel());
    table.bind("Tensor.dtype", "dtype()", a -> a.self().dtype());
    table.bind("Tensor.device", "device()", a -> a.self().device().toString());
    table.bind(
        "Tensor.stride",
        "strides(), stride(dim)",
        a -> a.has(1, "dim") ? (Object) a.self().stride(a.dim(1, "dim")) : a.self().strides());
    table.bind("Tensor.is_contiguous", "isContiguous()", a -> a.self().isContiguous());
    table.bind("Tensor.requires_grad", "requiresGrad()", a -> a.self().requiresGrad());
    table.bind(
        "Tensor.requires_grad_",
        "requiresGrad_(on)",
        a -> a.self().requiresGrad_(a.flag(1, "requires_grad", true)));
    table.bind("Tensor.grad", "grad()", a -> a.self().grad());
    table.bind(
        "Tensor.backward",
        "backward(gradient)",
        a -> {
          if (a.has(1, "gradient")) {
            a.self().backward(a.tensor(1, "gradient"));
          } else {
            a.self().backward();
          }
          return null;
        });
    table.bind("Tensor.detach", "detach()", a -> a.self().detach());
    table
        .bind("Tensor.data", "detach(), setData(other)", a -> a.self().detach())
        .note("reading is `detach()`, assigning is `setData`");
    table.bind(
        "Tensor.item",
        "item(), itemLong(), itemBoolean()",
        a ->
            switch (a.self().dtype()) {
              case BOOL -> a.self().itemBoolean();
              case INT64, INT32, INT16, INT8, UINT8 -> a.self().itemLong();
              default -> a.self().item();
            });
    table.bind("Tensor.__bool__", "itemBoolean()", a -> a.self().itemBoolean());
    table
        .bind(
            "Tensor.tolist",
            "toFloatArray(), toDoubleArray(), toLongArray()",
            a ->
                a.self().dtype().isFloatingPoint()
                    ? (Object) doubles(a.self())
                    : a.self().toLongArray())
        .note("row-major and flat");
    table
        .bind(
            "Tensor.numpy",
            "toFloatArray(), strided().memory()",
            a -> {
              if (a.self().requiresGrad()) {
                return a.self().toDoubleArray();
              }
              return doubles(a.self());
            })
        .note("an array is a copy; `strided()` gives the memory itself");
    table.bind("Tensor.cpu", "this", a -> a.self()).note("there are no other devices yet");
    table.say("Tensor.cuda", "").note("not there yet: accelerators are later work");
    table.say("no_grad", "Autograd.noGrad()").note("`try (var _ = …)`, or a lambda");
    table.say("inference_mode", "Autograd.inferenceMode()").note("`try (var _ = …)`, or a lambda");
    table.say("set_grad_enabled", "Autograd.setGradEnabled(on)").note("`try (var _ = …)`");
    table.say("device", "Device.CPU");
    table.say("float32", "DType.FLOAT32");
    table.say("float64", "DType.FLOAT64");
    table.say("int64", "DType.INT64");
    table.bind(
        "manual_seed",
        "Tensor.manualSeed(seed)",
        a -> {
          Tensor.manualSeed(a.integer(0, "seed"));
          return null;
        });
    table.say("Generator", "new Generator(seed)").note("every random operator takes one");
    table.bind(
        "get_rng_state", "Generator.global().state()", a -> Generator.global().state().length);
    table.say("set_rng_state", "Generator.global().loadState(state)");
    table.say("set_num_threads", "Threads.setNumThreads(n)");
    table
        .say("set_printoptions", "PrintOptions.use(o -> o.precision(8))")
        .note("or for one tensor, `toString(o -> …)`");
    table
        .say("set_default_dtype", "DType.withDefault(dtype)")
        .note("per thread, `try (var _ = …)`");
    table.say("get_default_dtype", "DType.defaultFloating()");
    table.say("sparse_coo_tensor", "").note("not there yet: sparse layouts are later work");
    table.say("sparse_csr_tensor", "").note("not there yet: sparse layouts are later work");
    table.say("sparse.mm", "").note("not there yet: sparse layouts are later work");
    table.say("nested_tensor", "").note("not there: pad, and mask");
    table.say("named tensors", "").note("not there: PyTorch never finished them");
    table
        .say("complex32", "DType.COMPLEX32")
        .note(
            "a storage type: it can be moved, added and multiplied; convert it to complex64 for the rest");
  }

  private static double[] doubles(Tensor x) {
    return x.detach().to(taper.tensor.DType.FLOAT64).toDoubleArray();
  }
}
