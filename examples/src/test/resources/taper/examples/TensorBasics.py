import torch

torch.manual_seed(0)

# Making tensors
data = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(data)
print(torch.ones_like(data))
random = torch.rand(2, 3)
print(random)
print(f"shape {list(random.shape)}, {random.numel()} elements")

# Rows, columns, and writing into them
table = torch.arange(12.0).view(3, 4)
print(f"first row {table[0]}")
print(f"last column {table[:, -1]}")
table[:, 1] = 0
print(table)

# Joining, and calculating element by element
print(torch.cat([data, data], dim=1))
print(data * data)
print(data @ data.T)
print(f"sum {data.sum().item():.1f}, mean {data.mean().item():.1f}, largest {data.max().item():.1f}")

# Broadcasting: a row is added to every row
print(torch.zeros(3, 2) + torch.tensor([10.0, 20.0]))

# A view shares its memory
flat = data.view(4)
flat.add_(100)
print(data)

# Masks and sums along a dimension
print(data[data > 102])
print(table.sum(dim=0))
print(table.argmax(dim=1))
