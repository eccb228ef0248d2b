"""Writes random programs of views and in-place operators, and what PyTorch makes of them.

python3 in-place-views.py 260 0 | gzip -9n > in-place-views.jsonl.gz
"""
import json
import math
import random
import sys

import torch

torch.set_default_dtype(torch.float64)
UNARY = {"sin": torch.sin, "exp": torch.exp, "neg": torch.neg, "clone": torch.clone}
BINARY = {"add": torch.add, "mul": torch.mul}


def views(rng, x):
    """A random view of x, as its name, arguments and result."""
    kinds = ["unsqueeze", "detach"]
    if x.is_contiguous():  # results keep the strides of their inputs there, but are contiguous here
        kinds += ["flatten"]
    if x.dim() > 0:
        kinds += ["select", "narrow", "expand", "unbind"] * 2
    if x.dim() > 1:
        kinds += ["transpose", "diagonal"] * 2
    kind = rng.choice(kinds)
    if kind == "flatten":
        return kind, [], x.reshape(-1)
    if kind == "unsqueeze":
        return kind, [], x.unsqueeze(0)
    if kind == "detach":
        return kind, [], x.detach()
    if kind == "transpose":
        return kind, [], x.transpose(0, 1)
    if kind == "diagonal":
        return kind, [], x.diagonal()
    dim = rng.randrange(x.dim())
    if kind == "expand":
        return kind, [], x.unsqueeze(0).expand(2, *x.shape)
    if kind == "select":
        index = rng.randrange(x.size(dim))
        return kind, [dim, index], x.select(dim, index)
    if kind == "unbind":
        index = rng.randrange(x.size(dim))
        return kind, [dim, index], x.unbind(dim)[index]
    start = rng.randrange(x.size(dim))
    length = rng.randint(1, x.size(dim) - start)
    return kind, [dim, start, length], x.narrow(dim, start, length)


def in_place(rng, x, others):
    if x.requires_grad and any(st == 0 for st in x.stride()):  # fails in the backward pass
        return "sin_", [], lambda: x.sin_()
    kind = rng.choice(["mul_", "add_", "sin_", "exp_", "fill_", "zero_", "copy_", "mulBy_"])
    # the order decides where a tensor is added to a part of itself
    fits = [i for i, o in enumerate(others) if broadcasts(o, x) and not shared(o, x)]
    if kind in ("mul_", "fill_"):
        c = rng.choice([0.5, 2.0, -1.5])
        return kind, [c], (lambda: x.mul_(c)) if kind == "mul_" else (lambda: x.fill_(c))
    if kind == "sin_":
        return kind, [], lambda: x.sin_()
    if kind == "exp_":
        return kind, [], lambda: x.exp_()
    if kind == "zero_" or not fits:
        return "zero_", [], lambda: x.zero_()
    i = rng.choice(fits)
    other = others[i]
    if kind == "add_":
        return kind, [i], lambda: x.add_(other)
    if kind == "copy_":
        return kind, [i], lambda: x.copy_(other)
    if other is x:  # refused in the backward pass; Taper saves a copy
        return "zero_", [], lambda: x.zero_()
    return kind, [i], lambda: x.mul_(other)


def shared(a, b):
    return a is not b and a.storage().data_ptr() == b.storage().data_ptr()


def broadcasts(a, b):
    try:
        return torch.broadcast_shapes(a.shape, b.shape) == b.shape
    except RuntimeError:
        return False


def stricter(error):
    """Whether PyTorch refuses what Taper can do.

    A view that unbind returned, or that was made under no_grad, cannot be used once its base has been
    changed; Taper computes the gradient, or none. A tensor cannot be written into one that it overlaps;
    Taper copies it first.
    """
    return "its base or another view" in error or "some elements of the input tensor" in error


def program(seed):
    rng = random.Random(seed)
    leaves = [torch.tensor([[rng.randint(-8, 8) / 8 for _ in range(3)] for _ in range(2)]) for _ in range(2)]
    leaves[0].requires_grad_()
    if rng.random() < 0.5:
        leaves[1].requires_grad_()
    values = list(leaves)
    steps = []
    case = {
        "leaves": [l.detach().flatten().tolist() for l in leaves],
        "grads": [l.requires_grad for l in leaves],
        "steps": steps,
    }
    for _ in range(rng.randint(5, 14)):
        choice = rng.random()
        at = rng.randrange(len(values))
        x = values[at]
        if x.numel() > 200:
            continue
        # a view made under no_grad seems to require grad there, but gets none
        quiet = rng.random() < 0.12 and (choice < 0.35 or choice >= 0.65 or not x.requires_grad)
        with torch.set_grad_enabled(not quiet):
            try:
                if choice < 0.2 or len(values) < 4:
                    name = rng.choice(list(UNARY))
                    steps.append([name, quiet, at])
                    values.append(UNARY[name](x))
                elif choice < 0.35:
                    name = rng.choice(list(BINARY))
                    fits = [i for i, o in enumerate(values) if broadcasts(o, x)]
                    other = rng.choice(fits)
                    steps.append([name, quiet, at, other])
                    values.append(BINARY[name](x, values[other]))
                elif choice < 0.65:
                    name, arguments, result = views(rng, x)
                    steps.append([name, quiet, at] + arguments)
                    values.append(result)
                elif x.is_leaf and x.requires_grad and rng.random() < 0.95:
                    continue
                else:
                    name, arguments, run = in_place(rng, x, values)
                    steps.append([name, quiet, at] + arguments)
                    run()
            except RuntimeError as e:
                if stricter(str(e)) or rng.random() < 0.5:
                    case["error"] = str(e)
                    return case
                steps[-1] = ["fails"] + steps[-1]
    try:
        loss = sum((v * (0.5 + 0.25 * i)).sum() for i, v in enumerate(values))
        if rng.random() < 0.2 and loss.requires_grad:
            gradients = torch.autograd.grad(loss, leaves[0], create_graph=True, allow_unused=True)
            if gradients[0] is not None and gradients[0].requires_grad:
                case["second"] = True
                loss = (gradients[0] ** 2).sum()
        loss.backward()
    except RuntimeError as e:
        case["error"] = str(e)
        return case
    case["values"] = [v.detach().flatten().tolist() for v in values]
    case["requires"] = [v.requires_grad for v in values]
    case["results"] = [
        l.grad.flatten().tolist() if l.is_leaf and l.grad is not None else None for l in leaves
    ]
    return case


def largest(case):
    numbers = case.get("values", []) + [g for g in case.get("results", []) if g]
    return max((abs(x) for row in numbers for x in row), default=0)


if __name__ == "__main__":
    count, first = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, first + count):
        case = program(seed)
        case["seed"] = seed
        if not stricter(case.get("error", "")) and math.isfinite(largest(case)):
            print(json.dumps(case))
