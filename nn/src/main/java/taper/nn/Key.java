package taper.nn;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The name under which a field of a [Module] is registered, where it is not the field's own: PyTorch's files write
/// `running_mean`, Java `runningMean`.
///
/// ```java
/// @Key("layer_norm")
/// private final LayerNorm layerNorm = new LayerNorm(768);
/// ```
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Key {
  /// The name in state dicts and paths.
  String value();
}
