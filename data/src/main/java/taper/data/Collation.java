package taper.data;

import java.util.List;

/// Makes one batch of several samples.
///
/// @param <S> the type of a sample
/// @param <B> the type of a batch
@FunctionalInterface
public interface Collation<S, B> {

  /// The batch of `samples`, of which there is at least one.
  B collate(List<S> samples);

  /// As PyTorch's `default_collate`, for samples whose batch has their own type. Tensors and arrays of numbers are stacked
  /// along a new first dimension; whole numbers become an `int64` tensor, others `float64`, truths `bool`; strings,
  /// characters and constants of an enum become a list. Of records, maps, lists and arrays of objects, what stands at the
  /// same place is collated, and put into a record of the same class, a map, a list or an array. Shapes, keys and lengths
  /// must agree.
  ///
  /// A record with a number in it is no record of tensors: [#into(Class)] names the class for the batch.
  static <T> Collation<T, T> stacking() {
    return new Stacking<>(Stacking::same);
  }

  /// As [#stacking()], for batches of any type: `DataLoader<Tensor> loader = new DataLoader<>(numbers, o ->
  /// o.collation(Collation.standard()))`.
  static <S, B> Collation<S, B> standard() {
    return new Stacking<>(Stacking::any);
  }

  /// As [#stacking()], for records: each component of `batch` takes what the samples have under its name, collated.
  ///
  /// ```java
  /// record Picture(Tensor image, int label) {}
  /// record Batch(Tensor image, Tensor label) {}
  /// var loader = new DataLoader<>(pictures, o -> o.collation(Collation.into(Batch.class)));
  /// ```
  static <S extends Record, B extends Record> Collation<S, B> into(Class<B> batch) {
    return new Stacking<>(samples -> Stacking.into(samples, batch));
  }
}
