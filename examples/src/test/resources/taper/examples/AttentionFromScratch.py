import math
import torch

torch.manual_seed(0)
BATCH, TIME, SIZE, HEADS = 2, 5, 16, 4


def attention(query, key, value, causal):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if causal:
        later = torch.ones(TIME, TIME).triu(1) > 0
        scores = scores.masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


def heads(x):
    return x.view(BATCH, TIME, HEADS, SIZE // HEADS).transpose(1, 2)


x = torch.randn(BATCH, TIME, SIZE)
projections = [(torch.randn(SIZE, SIZE) / math.sqrt(SIZE)).requires_grad_() for _ in range(4)]
wq, wk, wv, wo = projections

# One head over the whole vector
_, weights = attention(x @ wq, x @ wk, x @ wv, causal=True)
print(weights[0].detach())

# Several heads, each over a slice of it
def multi_head(x):
    mixed, weights = attention(heads(x @ wq), heads(x @ wk), heads(x @ wv), causal=True)
    return mixed.transpose(1, 2).reshape(BATCH, TIME, SIZE) @ wo, weights


out, weights = multi_head(x)
print(f"weights {list(weights.shape)}, output {list(out.shape)}")
print(out[0, :, :4].detach())

# It agrees with the built-in function
query, key, value = heads(x @ wq), heads(x @ wk), heads(x @ wv)
if hasattr(torch.nn.functional, "scaled_dot_product_attention"):
    builtin = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
else:  # before version 2
    builtin, _ = torch.nn.functional._scaled_dot_product_attention(
        query, key, value, is_causal=True
    )
difference = (builtin - attention(query, key, value, causal=True)[0]).abs().max()
print(f"agrees: {str(difference.item() < 1e-6).lower()}")

# Learning to shift a sequence by one place
target = torch.roll(x, 1, dims=1)
target[:, 0] = 0
for step in range(1, 201):
    loss = ((multi_head(x)[0] - target) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for weight in projections:
            weight -= 0.5 * weight.grad
            weight.grad = None
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.4f}")
