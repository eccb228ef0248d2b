import torch

# The gradients of Q = 3 a^3 - b^2
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
q = 3 * a**3 - b**2
q.backward(gradient=torch.ones(2))
print(f"dQ/da {a.grad}")
print(f"dQ/db {b.grad}")

# Gradients add up until they are set to zero
(a * b).sum().backward()
print(f"accumulated {a.grad}")
a.grad = None

# A layer and a loss, step by step
torch.manual_seed(0)
x = torch.ones(5)
y = torch.zeros(3)
w = torch.randn(5, 3, requires_grad=True)
bias = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + bias
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
loss.backward()
print(f"loss {loss.item():.4f}")
print(w.grad)
print(bias.grad)

# Nothing is recorded under no_grad
with torch.no_grad():
    z = torch.matmul(x, w) + bias
print(f"requires grad: {str(z.requires_grad).lower()}")

# The derivative of a derivative
t = torch.tensor(0.5, requires_grad=True)
first = torch.autograd.grad(torch.sin(t) * t, t, create_graph=True)[0]
second = torch.autograd.grad(first, t)[0]
print(f"first {first.item():.4f}, second {second.item():.4f}")

# Whole Jacobians and Hessians
point = torch.tensor([1.0, 2.0, 3.0])
print(torch.autograd.functional.jacobian(lambda v: torch.stack([v.prod(), v.sum()]), point))
print(torch.autograd.functional.hessian(lambda v: v.prod(), point))
