package taper.tensor.internal;

import taper.tensor.Generator;

/// Draws from the binomial distribution, with PyTorch's choice of algorithms.
///
/// - Source: below 10 expected successes by waiting times, Devroye 1986, Non-uniform random variate generation, chapter
///   X.4; above it transformed rejection: Hörmann 1993, The generation of binomial random variates, algorithm BTRS.
final class Binomial {
  // what Stirling's formula leaves of log(k!), for k = 0..9
  private static final double[] STIRLING = {
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.0207906721037650,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287
  };

  private Binomial() {}

  static double sample(double count, double p, Generator generator) {
    if (count <= 0 || p <= 0) {
      return 0;
    }
    if (p >= 1) {
      return count;
    }
    if (p <= 0.5) {
      return successes(count, p, generator);
    }
    return p > 0.5 ? count - successes(count, 1 - p, generator) : Double.NaN;
  }

  private static double successes(double count, double p, Generator generator) {
    return count * p >= 10 ? byRejection(count, p, generator) : byWaiting(count, p, generator);
  }

  private static double byWaiting(double count, double p, Generator generator) {
    double logFailure = Math.log1p(-p);
    double trials = 0;
    double found = 0;
    while (true) {
      trials += Math.ceil(Math.log(generator.uniform()) / logFailure);
      if (trials > count) {
        return found;
      }
      found++;
    }
  }

  private static double byRejection(double count, double p, Generator generator) {
    double std = Math.sqrt(count * p * (1 - p));
    double b = 1.15 + 2.53 * std;
    double a = -0.0873 + 0.0248 * b + 0.01 * p;
    double c = count * p + 0.5;
    double vr = 0.92 - 4.2 / b;
    double r = p / (1 - p);
    double alpha = (2.83 + 5.1 / b) * std;
    double m = Math.floor((count + 1) * p);
    while (true) {
      double u = generator.uniform() - 0.5;
      double v = generator.uniform();
      double us = 0.5 - Math.abs(u);
      double k = Math.floor((2 * a / us + b) * u + c);
      if (k < 0 || k > count) {
        continue;
      }
      if (us >= 0.07 && v <= vr) {
        return k;
      }
      double bound =
          (m + 0.5) * Math.log((m + 1) / (r * (count - m + 1)))
              + (count + 1) * Math.log((count - m + 1) / (count - k + 1))
              + (k + 0.5) * Math.log(r * (count - k + 1) / (k + 1))
              + tail(m)
              + tail(count - m)
              - tail(k)
              - tail(count - k);
      if (Math.log(v * alpha / (a / (us * us) + b)) <= bound) {
        return k;
      }
    }
  }

  private static double tail(double k) {
    if (k <= 9) {
      return STIRLING[(int) k];
    }
    double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
  }
}
