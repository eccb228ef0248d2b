package taper.optim;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongToDoubleFunction;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;

/// Sets the rates to the initial ones times a function of the epoch. The functions are not part of the state dict.
public final class LambdaLR extends LRScheduler {
  private final List<LongToDoubleFunction> factors;

  /// @param factor the factor in each epoch, for all groups
  public LambdaLR(Optimizer<?> optimizer, LongToDoubleFunction factor) {
    this(optimizer, forEachGroup("LambdaLR", optimizer, factor));
  }

  /// @param factors the factor in each epoch, one function per group
  public LambdaLR(Optimizer<?> optimizer, List<LongToDoubleFunction> factors) {
    super(optimizer);
    Ranges.given("LambdaLR", "factors", factors)
        .forEach(f -> Ranges.given("LambdaLR", "a factor", f));
    if (factors.size() != optimizer.groups().size()) {
      throw new ArgumentException(
          "LambdaLR: there must be one function per group, but there are %d for %d groups."
              .formatted(factors.size(), optimizer.groups().size()));
    }
    this.factors = List.copyOf(factors);
    begin();
  }

  @Override
  protected double lr(ParameterGroup<?> group, int index) {
    return baseLr(index) * factors.get(index).applyAsDouble(lastEpoch());
  }

  @Override
  protected Map<String, @Nullable Object> settings() {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("lr_lambdas", Collections.nCopies(factors.size(), null));
    return settings;
  }

  @Override
  protected void loadSettings(Map<String, ?> settings) {}
}
