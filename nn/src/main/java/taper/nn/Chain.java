package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Memory;
import taper.tensor.OnePass;
import taper.tensor.Tensor;

/// Modules one after the other, of which nobody sees what one hands to the next.
///
/// It is released, or overwritten, as soon as no graph needs it, and neighbours are computed in one pass, or in another
/// order, where that gives the same in less time: a batch normalization, a sum and a rectifier go into the convolution before
/// them, and a rectifier goes behind a pool of maxima.
///
/// @param modules which all [let nothing escape][Module#letsNothingEscape()]
/// @param addend is added to what the last module sees, which is a [ReLU]; or null
record Chain(List<Module> modules, @Nullable Tensor addend) {

  /// Runs the modules. The caller lets go of what is left, as [Memory#tidy] does.
  Tensor run(Tensor input) {
    Tensor x = input;
    int i = 0;
    while (i < modules.size()) {
      Module module = modules.get(i);
      int at = i;
      Tensor normalized =
          module instanceof Conv2d conv && i + 1 < modules.size()
              ? step(x, input, y -> normalized(conv, at, y))
              : x;
      if (normalized != x) {
        x = normalized;
        i += rectifies(i + 2) ? 3 : 2;
      } else if (module instanceof Linear linear && rectifies(i + 1)) {
        x = step(x, input, y -> Calls.run(linear, () -> linear.rectified(y)));
        i += 2;
      } else if (module instanceof Conv2d conv && rectifies(i + 1) && !mayWait(i + 1, true)) {
        x = step(x, input, y -> Calls.run(conv, () -> conv.rectified(y)));
        i += 2;
      } else if (module instanceof BatchNorm norm && rectifies(i + 1)) {
        Tensor added = i + 2 == modules.size() ? addend : null;
        x = step(x, input, y -> Calls.run(norm, () -> norm.rectified(y, added)));
        i += 2;
      } else if (mayWait(i, x != input)) {
        x = call(modules.get(i + 1), x, input);
        x = call(module, x, input);
        i += 2;
      } else {
        if (addend != null && i == modules.size() - 1) {
          x = x == input ? x.add(addend) : x.add_(addend);
        }
        x = call(module, x, input);
        i++;
      }
    }
    return x;
  }

  /// Whether module `i` is a rectifier.
  private boolean rectifies(int i) {
    return i < modules.size() && modules.get(i) instanceof ReLU;
  }

  /// What a convolution and the normalization after it, and a rectifier after that, make of `x`; or `x` itself if they are
  /// not computed in one pass.
  private Tensor normalized(Conv2d conv, int i, Tensor x) {
    if (!(modules.get(i + 1) instanceof BatchNorm2d norm)) {
      return x;
    }
    boolean relu = rectifies(i + 2);
    Tensor added = relu && i + 3 == modules.size() ? addend : null;
    Tensor y =
        Calls.run(
            conv,
            () ->
                OnePass.conv2d(
                    x, conv.weight(), conv.bias(), conv.window(), norm.given(), added, relu));
    return y == null ? x : y;
  }

  /// Whether module `i` is a rectifier that gives the same behind the pool that follows. Functions that never fall keep
  /// maxima, and what is not positive has no gradient in either order.
  ///
  /// @param between whether its input is nobody else's, and may stay as it is
  private boolean mayWait(int i, boolean between) {
    return i + 1 < modules.size()
        && modules.get(i) instanceof ReLU relu
        && (between || !relu.overwrites())
        && (modules.get(i + 1) instanceof MaxPool1d
            || modules.get(i + 1) instanceof MaxPool2d
            || modules.get(i + 1) instanceof MaxPool3d);
  }

  private static Tensor call(Module module, Tensor x, Tensor input) {
    return module instanceof Layer || module instanceof Sequential
        ? step(x, input, module::call)
        : x == input ? module.call(x) : Memory.lend(x, module::call);
  }

  private static Tensor step(Tensor x, Tensor input, UnaryOperator<Tensor> step) {
    return x == input ? step.apply(x) : Memory.passOn(x, step);
  }
}
