package taper.examples;

import module java.base;
import module taper;

/// Gradients: of a formula, of a layer, of gradients.
final class AutogradBasics {
  private AutogradBasics() {}

  static void main(String[] arguments) {
    // The gradients of Q = 3 a³ - b²
    var a = Tensor.of(new float[] {2, 3}).requiresGrad_();
    var b = Tensor.of(new float[] {6, 4}).requiresGrad_();
    var q = a.pow(3).mul(3).sub(b.pow(2));
    q.backward(Tensor.ones(2));
    IO.println("dQ/da " + a.grad());
    IO.println("dQ/db " + b.grad());

    // Gradients add up until they are set to zero
    a.mul(b).sum().backward();
    IO.println("accumulated " + a.grad());
    a.setGrad(null);

    // A layer and a loss, step by step
    Tensor.manualSeed(0);
    var x = Tensor.ones(5);
    var y = Tensor.zeros(3);
    var w = Tensor.randn(5, 3).requiresGrad_();
    var bias = Tensor.randn(3).requiresGrad_();
    var z = x.matmul(w).add(bias);
    var loss = z.binaryCrossEntropyWithLogits(y);
    loss.backward();
    IO.println("loss %.4f".formatted(loss.item()));
    IO.println(w.grad());
    IO.println(bias.grad());

    // Nothing is recorded under noGrad
    try (var _ = Autograd.noGrad()) {
      z = x.matmul(w).add(bias);
    }
    IO.println("requires grad: " + z.requiresGrad());

    // The derivative of a derivative
    var t = Tensor.scalar(0.5).requiresGrad_();
    var first = Autograd.grad(t.sin().mul(t), List.of(t), o -> o.createGraph(true)).getFirst();
    var second = Autograd.grad(first, t).getFirst();
    IO.println("first %.4f, second %.4f".formatted(first.item(), second.item()));

    // Whole Jacobians and Hessians
    var point = Tensor.of(new float[] {1, 2, 3});
    IO.println(Autograd.jacobian(v -> Tensor.stack(List.of(v.prod(), v.sum())), point));
    IO.println(Autograd.hessian(v -> v.prod(), point));
  }
}
