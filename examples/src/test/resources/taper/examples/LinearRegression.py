import torch

torch.manual_seed(0)

# 200 points near a plane
truth = torch.tensor([2.0, -3.4, 0.7])
x = torch.randn(200, 3)
y = x @ truth + 4.2 + 0.01 * torch.randn(200)

w = torch.zeros(3)
b = torch.zeros(1)
rate = 0.1
for epoch in range(1, 51):
    error = x @ w + b - y
    loss = (error**2).mean()
    # the derivatives of the mean square, by hand
    w -= rate * (2 / 200) * (x.T @ error)
    b -= rate * 2 * error.mean()
    if epoch % 10 == 0:
        print(f"epoch {epoch}: loss {loss.item():.5f}")
print(f"w {w}")
print(f"b {b}")

# The same in one step: the normal equations
design = torch.cat([x, torch.ones(200, 1)], dim=1)
exact = torch.linalg.solve(design.T @ design, design.T @ y)
print(f"exact {exact}")
