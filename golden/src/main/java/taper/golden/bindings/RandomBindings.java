package taper.golden.bindings;

import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Random tensors.
public final class RandomBindings {
  private RandomBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.ELEMENTWISE);
    made(table);
    filled(table);
    drawn(table);
  }

  private static DType dtype(Arguments a, DType otherwise) {
    DType dtype = a.dtype(-1, "dtype");
    return dtype == null ? otherwise : dtype;
  }

  private static void made(Bindings table) {
    table.bind(
        "rand",
        "Tensor.rand(dtype, sizes)",
        a -> Tensor.rand(dtype(a, DType.FLOAT32), a.longsFrom(0, "size")));
    table.bind(
        "randn",
        "Tensor.randn(dtype, sizes)",
        a -> Tensor.randn(dtype(a, DType.FLOAT32), a.longsFrom(0, "size")));
    table.bind(
        "randint",
        "Tensor.randint(low, high, sizes)",
        a -> {
          boolean both = a.value(1, "high") instanceof Long;
          long low = both ? a.integer(0, "low") : 0;
          long high = both ? a.integer(1, "high") : a.integer(0, "high");
          return Tensor.randint(low, high, a.longs(both ? 2 : 1, "size")).to(dtype(a, DType.INT64));
        });
    table.bind("randperm", "Tensor.randperm(n)", a -> Tensor.randperm(a.integer(0, "n")));
    table.bind(
        "rand_like",
        "Tensor.randLike(like, dtype)",
        a -> Tensor.randLike(a.self(), dtype(a, a.self().dtype())));
    table.bind(
        "randn_like",
        "Tensor.randnLike(like, dtype)",
        a -> Tensor.randnLike(a.self(), dtype(a, a.self().dtype())));
    table.bind(
        "randint_like",
        "Tensor.randintLike(like, low, high)",
        a -> {
          long low = a.has(2, "high") ? a.integer(1, "low") : 0;
          long high = a.has(2, "high") ? a.integer(2, "high") : a.integer(1, "high");
          DType dtype = dtype(a, a.self().dtype());
          return Tensor.randintLike(a.self(), low, high, dtype);
        });
    table.bind("normal", "Tensor.normal(mean, std)", a -> normal(a));
  }

  private static Tensor normal(Arguments a) {
    Object first = a.value(0, "mean");
    Object second = a.value(1, "std");
    if (a.variant().equals("number_mean")) {
      return Tensor.normal(a.number(1, "mean"), a.tensor(0, "std"));
    }
    if (first instanceof Tensor mean) {
      return second instanceof Tensor std
          ? Tensor.normal(mean, std)
          : Tensor.normal(mean, a.number(1, "std", 1));
    }
    if (second instanceof Tensor std) {
      return Tensor.normal(a.number(0, "mean"), std);
    }
    return Tensor.normal(a.number(0, "mean"), a.number(1, "std"), a.longs(2, "size"));
  }

  private static void filled(Bindings table) {
    table.bind(
        "uniform",
        "uniform_(from, to)",
        a -> a.self().uniform_(a.number(1, "from", 0), a.number(2, "to", 1)));
    table.say("Tensor.uniform_", "uniform_(from, to)");
    table.bind(
        "Tensor.normal_",
        "normal_(mean, std)",
        a -> a.self().normal_(a.number(1, "mean", 0), a.number(2, "std", 1)));
    table.bind(
        "Tensor.exponential_",
        "exponential_(lambda)",
        a -> a.self().exponential_(a.number(1, "lambd", 1)));
    table.bind("Tensor.geometric_", "geometric_(p)", a -> a.self().geometric_(a.number(1, "p")));
    table.bind(
        "Tensor.cauchy_",
        "cauchy_(median, sigma)",
        a -> a.self().cauchy_(a.number(1, "median", 0), a.number(2, "sigma", 1)));
    table.bind(
        "Tensor.log_normal_",
        "logNormal_(mean, std)",
        a -> a.self().logNormal_(a.number(1, "mean", 1), a.number(2, "std", 2)));
    table.say("Tensor.random_", "random_(), random_(to), random_(from, to)");
    table.say("Tensor.bernoulli_", "bernoulli_(p)");
  }

  private static void drawn(Bindings table) {
    table.bind(
        "bernoulli",
        "bernoulli(), bernoulli(p)",
        a ->
            CreationBindings.into(
                a,
                () -> a.has(1, "p") ? a.self().bernoulli(a.number(1, "p")) : a.self().bernoulli()));
    table.bind(
        "multinomial",
        "multinomial(numSamples, replacement)",
        a ->
            CreationBindings.into(
                a,
                () ->
                    a.self()
                        .multinomial(
                            Math.toIntExact(a.integer(1, "num_samples")),
                            a.flag(2, "replacement", false))));
    table.bind("poisson", "poisson()", a -> a.self().poisson());
    table.bind(
        "binomial",
        "Tensor.binomial(count, prob)",
        a -> Tensor.binomial(a.tensor(0, "count"), a.tensor(1, "prob")));
  }
}
