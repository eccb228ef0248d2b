import math
import torch

TEXT = "she sells sea shells by the sea shore; the shells she sells are sea shells for sure. "
HIDDEN = 48
LENGTH = 24

torch.manual_seed(0)
letters = sorted(set(TEXT))
codes = torch.tensor([letters.index(letter) for letter in TEXT])
n = len(letters)

# One layer of long short-term memory: four gates in one product
bound = 1 / math.sqrt(HIDDEN)
embedding = torch.randn(n, HIDDEN) * 0.1
input_weight = torch.empty(HIDDEN, 4 * HIDDEN).uniform_(-bound, bound)
hidden_weight = torch.empty(HIDDEN, 4 * HIDDEN).uniform_(-bound, bound)
gate_bias = torch.zeros(4 * HIDDEN)
output_weight = torch.empty(HIDDEN, n).uniform_(-bound, bound)
output_bias = torch.zeros(n)
weights = [embedding, input_weight, hidden_weight, gate_bias, output_weight, output_bias]
for weight in weights:
    weight.requires_grad_()


def cell(letter, hidden, memory):
    gates = embedding[letter] @ input_weight + hidden @ hidden_weight + gate_bias
    i, f, g, o = gates.chunk(4, dim=1)
    memory = torch.sigmoid(f) * memory + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(memory), memory


optimizer = torch.optim.Adam(weights, lr=0.01)
for step in range(1, 101):
    # eight pieces of the text, each to be continued letter by letter
    starts = torch.randint(0, len(TEXT) - LENGTH - 1, (8,))
    hidden = torch.zeros(8, HIDDEN)
    memory = torch.zeros(8, HIDDEN)
    loss = torch.zeros(())
    for t in range(LENGTH):
        hidden, memory = cell(codes[starts + t], hidden, memory)
        scores = hidden @ output_weight + output_bias
        loss = loss + torch.nn.functional.cross_entropy(scores, codes[starts + t + 1])
    optimizer.zero_grad()
    (loss / LENGTH).backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item() / LENGTH:.2f}")

# The likeliest continuation
with torch.no_grad():
    hidden = torch.zeros(1, HIDDEN)
    memory = torch.zeros(1, HIDDEN)
    letter = torch.tensor([letters.index("s")])
    line = "s"
    for _ in range(70):
        hidden, memory = cell(letter, hidden, memory)
        letter = (hidden @ output_weight + output_bias).argmax(dim=1)
        line += letters[letter.item()]
    print(line)
