import math
import torch


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (5 * x**3 - 3 * x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 1.5 * (5 * x**2 - 1)


x = torch.linspace(-math.pi, math.pi, 2000)
y = torch.sin(x)
a = torch.full((), 0.0, requires_grad=True)
b = torch.full((), -1.0, requires_grad=True)
c = torch.full((), 0.0, requires_grad=True)
d = torch.full((), 0.3, requires_grad=True)
rate = 5e-6

for step in range(1, 2001):
    prediction = a + b * LegendrePolynomial3.apply(c + d * x)
    loss = (prediction - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for weight in (a, b, c, d):
            weight -= rate * weight.grad
            weight.grad = None
    if step % 200 == 0:
        print(f"step {step}: loss {loss.item():.3f}")

print(f"y = {a.item():.3f} + {b.item():.3f} P3({c.item():.3f} + {d.item():.3f} x)")
