import torch

torch.manual_seed(0)

# 500 points in five dimensions that lie near a plane
plane = torch.randn(2, 5)
data = torch.randn(500, 2) @ plane + 0.1 * torch.randn(500, 5) + 3

# The right singular vectors of the centred data are the principal axes
mean = data.mean(dim=0)
centred = data - mean
u, s, vh = torch.linalg.svd(centred, full_matrices=False)
variance = s**2 / (data.size(0) - 1)
print(f"mean {mean}")
print(f"explained {variance / variance.sum()}")

# Signs of singular vectors are arbitrary: make the largest entry positive
largest = vh.abs().argmax(dim=1, keepdim=True)
axes = vh * vh.gather(1, largest).sign()
print(axes[:2])

# Two numbers for five
scores = centred @ axes[:2].T
print(scores[:4])
restored = scores @ axes[:2] + mean
print(f"mean square of what is lost {((restored - data) ** 2).mean().item():.5f}")

# The same variances from the covariance matrix
print(torch.linalg.eigvalsh(centred.T @ centred / 499).flip(0))
