import math
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)

# Twelve noisy observations of a sine
x = torch.rand(12, 1) * 6
y = torch.sin(x).squeeze(1) + 0.1 * torch.randn(12)
grid = torch.linspace(0, 6, 7).unsqueeze(1)


def kernel(a, b, scale, length):
    return scale**2 * torch.exp(-0.5 * ((a - b.T) / length) ** 2)


# Logarithms of the scale, the length and the noise are learned: their marginal likelihood is
# computed with the Cholesky factor
logs = torch.tensor([0.0, 0.0, -1.0], requires_grad=True)


def factor():
    scale, length, noise = torch.exp(logs)
    return torch.linalg.cholesky(kernel(x, x, scale, length) + noise**2 * torch.eye(12))


for step in range(0, 61):
    lower = factor()
    alpha = torch.cholesky_solve(y.unsqueeze(1), lower).squeeze(1)
    loss = 0.5 * y @ alpha + torch.log(lower.diagonal()).sum() + 6 * math.log(2 * math.pi)
    if step % 15 == 0:
        print(f"step {step}: negative log likelihood {loss.item():.4f}")
    loss.backward()
    with torch.no_grad():
        logs -= 0.02 * logs.grad
        logs.grad = None

# Mean and uncertainty on a grid
with torch.no_grad():
    scale, length, noise = torch.exp(logs)
    print(f"scale {scale.item():.3f}, length {length.item():.3f}, noise {noise.item():.3f}")
    lower = factor()
    across = kernel(x, grid, scale, length)
    mean = across.T @ torch.cholesky_solve(y.unsqueeze(1), lower)
    v = torch.linalg.solve_triangular(lower, across, upper=False)
    deviation = torch.sqrt(scale**2 - (v**2).sum(dim=0))
    for i in range(7):
        print(f"f({grid[i].item():.1f}) = {mean[i].item():.3f} +- {2 * deviation[i].item():.3f}")
