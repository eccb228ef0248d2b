package taper.tensor.internal;

import taper.tensor.Generator;

/// Draws from the Poisson distribution, with PyTorch's choice of algorithms.
///
/// - Source: below a rate of 10 the product of uniform numbers; above it transformed rejection: Hörmann
///   1993, The transformed rejection method for generating Poisson random variables, algorithm PTRS.
final class Poisson {
  // Lanczos approximation of the gamma function, g = 7, 9 terms: relative error below 1e-14
  private static final double[] LANCZOS = {
    0.99999999999980993,
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7
  };

  private Poisson() {}

  static long sample(double rate, Generator generator) {
    if (rate >= 10) {
      return byRejection(rate, generator);
    }
    if (rate == 0) {
      return 0;
    }
    double limit = Math.exp(-rate);
    double product = 1;
    for (long count = 0; ; count++) {
      product *= generator.uniform();
      if (!(product > limit)) {
        return count;
      }
    }
  }

  private static long byRejection(double rate, Generator generator) {
    double logRate = Math.log(rate);
    double b = 0.931 + 2.53 * Math.sqrt(rate);
    double a = -0.059 + 0.02483 * b;
    double inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
    double vr = 0.9277 - 3.6224 / (b - 2);
    while (true) {
      double u = generator.uniform() - 0.5;
      double v = generator.uniform();
      double us = 0.5 - Math.abs(u);
      long k = (long) Math.floor((2 * a / us + b) * u + rate + 0.43);
      if (us >= 0.07 && v <= vr) {
        return k;
      }
      if (k < 0 || (us < 0.013 && v > us)) {
        continue;
      }
      if (Math.log(v) + Math.log(inverseAlpha) - Math.log(a / (us * us) + b)
          <= -rate + k * logRate - logFactorial(k)) {
        return k;
      }
    }
  }

  private static double logFactorial(long k) {
    double sum = LANCZOS[0];
    for (int i = 1; i < LANCZOS.length; i++) {
      sum += LANCZOS[i] / (k + i);
    }
    double t = k + 7.5;
    return 0.5 * Math.log(2 * Math.PI) + (k + 0.5) * Math.log(t) - t + Math.log(sum);
  }
}
