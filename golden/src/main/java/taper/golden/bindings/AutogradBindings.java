package taper.golden.bindings;

import taper.golden.Bindings;

/// Gradients.
public final class AutogradBindings {
  private AutogradBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.say("autograd.grad", "Autograd.grad(outputs, inputs, o -> o.createGraph(true))");
    table
        .say("autograd.backward", "Autograd.backward(tensors, o -> o.inputs(w))")
        .note("`loss.backward(o -> …)` for one tensor");
    table
        .say("autograd.Function", "Function")
        .note("what the gradient needs goes through the `Saver`; numbers go into the constructor");
    table.say("enable_grad", "Autograd.enableGrad()").note("`try (var _ = …)`, or a lambda");
    table.say("is_grad_enabled", "Autograd.isGradEnabled()");
    table.say("is_inference_mode_enabled", "Autograd.isInferenceMode()");
    table
        .say("autograd.set_detect_anomaly", "Autograd.setDetectAnomaly(on, checkNan)")
        .note("`try (var _ = …)`; per thread");
    table
        .say("autograd.detect_anomaly", "Autograd.anomalyDetection()")
        .note("`try (var _ = …)`, or a lambda; names the forward line");
    table.say("autograd.functional.jacobian", "Autograd.jacobian(f, x)").note("by reverse mode");
    table.say("autograd.functional.hessian", "Autograd.hessian(f, x)").note("by reverse mode");
    table.say("autograd.functional.vjp", "Autograd.vjp(f, x, v)");
    table
        .say("autograd.functional.jvp", "Autograd.jvp(f, x, v)")
        .note("by two reverse passes, as there");
    table.say("autograd.functional.vhp", "Autograd.vhp(f, x, v)");
    table.say("autograd.functional.hvp", "Autograd.hvp(f, x, v)");
    table
        .say("autograd.gradcheck", "GradCheck.gradcheck(f, inputs, o -> o.eps(1e-6))")
        .note("in module `testing`; complex numbers as pairs of real ones");
    table
        .say("autograd.gradgradcheck", "GradCheck.gradgradcheck(f, inputs, o -> o.eps(1e-6))")
        .note("in module `testing`");
    table
        .say("autograd.graph.saved_tensors_hooks", "Autograd.savedTensorsHooks(pack, unpack)")
        .note("`try (var _ = …)`, or a lambda");
    table
        .say("autograd.graph.save_on_cpu", "Autograd.saveOnCpu()")
        .note("`try (var _ = …)`; keeps tensors as they are while there are no other devices");
    table
        .say("utils.checkpoint.checkpoint", "Checkpoint.run(segment, inputs)")
        .note("never reentrant: `use_reentrant=False`");
    table
        .say(
            "utils.checkpoint.checkpoint_sequential",
            "model.callCheckpointed(segments, x), Checkpoint.sequential(functions, segments, x)")
        .note("the last segment is run plainly, as there");
    table.say("Tensor.register_hook", "registerHook(hook)").note("the guard takes it away");
    table.say("Tensor.register_post_accumulate_grad_hook", "registerPostAccumulateGradHook(hook)");
    table.bind("Tensor.retain_grad", "retainGrad()", a -> a.self().retainGrad());
    table.bind("Tensor.retains_grad", "retainsGrad()", a -> a.self().retainsGrad());
    table.bind("Tensor.detach_", "detach_()", a -> a.self().detach_());
    table.bind("Tensor.is_leaf", "isLeaf()", a -> a.self().isLeaf());
    table.bind("Tensor.is_inference", "isInference()", a -> a.self().isInference());
    table
        .say("Tensor.grad_fn", "gradFn()")
        .note("`name()`, `nextFunctions()`, `registerHook`, `registerPreHook` of the node");
  }
}
