import torch

torch.manual_seed(0)

# Three clouds of points
centres = torch.tensor([[0.0, 0.0], [4.0, 4.0], [-4.0, 3.0]])
points = torch.cat([centre + torch.randn(100, 2) for centre in centres])

# Begin with three of the points
centroids = points[torch.randperm(300)[:3]].clone()
for step in range(1, 11):
    distances = torch.cdist(points, centroids)
    nearest, labels = distances.min(dim=1)
    counts = torch.bincount(labels, minlength=3)
    sums = torch.zeros(3, 2).index_add_(0, labels, points)
    moved = sums / counts.unsqueeze(1)
    shift = (moved - centroids).norm().item()
    centroids = moved
    print(f"step {step}: spread {(nearest**2).sum().item():.2f}, moved by {shift:.4f}, sizes {counts.tolist()}")
    if shift < 1e-4:
        break

print(centroids)
