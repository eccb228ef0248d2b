package taper.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Generator;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// What a loader does with samples and batches: what lives on, what is random, which modes hold, which errors there are.
final class LoadedSamplesTest {

  /// A data set of `size` samples.
  private record Samples<T>(long size, LongFunction<T> sample) implements Dataset<T> {
    @Override
    public T get(long index) {
      return sample.apply(index);
    }
  }

  private static <B> List<B> read(DataLoader<B> loader) {
    var result = new ArrayList<B>();
    loader.forEach(result::add);
    return result;
  }

  private static Tensor number(long value, long size) {
    return Tensor.full(DType.FLOAT32, (double) value, size);
  }

  // What lives on

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aDataSetMayKeepItsSamples(int workers) {
    var known = new ConcurrentHashMap<Long, Tensor>();
    var cached = new Samples<>(6, i -> known.computeIfAbsent(i, n -> number(n, 2).mul(1)));
    try (var loader = new DataLoader<>(cached, o -> o.batchSize(3).workers(workers))) {
      float[] first = read(loader).getFirst().toFloatArray();

      assertThat(read(loader).getFirst().toFloatArray())
          .containsExactly(first)
          .containsExactly(0, 0, 1, 1, 2, 2);
    }
  }

  @Test
  void aScopeOfTheReaderLeavesSamplesAndBatchesAlone() {
    var kept = new ArrayList<Tensor>();
    var cached =
        new Samples<>(
            2,
            i -> {
              kept.add(Tensor.ones(2));
              return kept.getLast();
            });
    var loader = new DataLoader<>(cached, o -> o.batchSize(2));
    try (var _ = Memory.scope("step")) {
      kept.addAll(read(loader));
    }

    assertThat(kept).hasSize(3).noneMatch(Tensor::isReleased);
  }

  /// A data set that keeps nothing.
  private record Fresh(long size) implements Dataset<Example> {
    @Override
    public Example get(long index) {
      return new Example(number(index, 1000).mul(1), number(index, 1000));
    }

    @Override
    public boolean letsNothingEscape() {
      return true;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void samplesThatNobodyKeepsGoAtOnce(int workers) {
    long before = Memory.allocated();
    var data = new Subset<>(new Fresh(8), 0, 1, 2, 3, 4, 5, 6, 7);
    try (var loader = new DataLoader<>(data, o -> o.batchSize(4).workers(workers))) {
      List<Example> batches = read(loader);

      assertThat(Memory.allocated() - before).isEqualTo(4 * 16384);
      assertThat(batches.getLast().input().sum().item()).isEqualTo((4 + 5 + 6 + 7) * 1000);
      List<Object> own =
          read(new DataLoader<>(data, o -> o.collation(samples -> samples.getFirst().input())));
      assertThat(own).noneMatch(input -> ((Tensor) input).isReleased());
    }
  }

  /// A batch that is no record.
  private static final class Nested {
    private final Optional<Tensor> tensor;
    private final Map<String, List<Tensor>> more;

    Nested(Tensor tensor) {
      this.tensor = Optional.of(tensor.mul(2));
      this.more = Map.of("more", List.of(tensor.mul(3)));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aBatchMayBeOfAnyClass(int workers) {
    var data = new Samples<>(4, i -> number(i, 1));
    try (var loader =
        new DataLoader<>(
            data,
            o ->
                o.batchSize(2)
                    .workers(workers)
                    .collation(samples -> new Nested(Tensor.stack(samples, 0))))) {
      Nested last = read(loader).getLast();

      assertThat(last.tensor.orElseThrow().toFloatArray()).containsExactly(4, 6);
      assertThat(last.more.get("more").getFirst().toFloatArray()).containsExactly(6, 9);
    }
  }

  // What is random

  @Test
  void randomOperatorsDrawTheSameForAnyNumberOfWorkers() {
    var data = new Samples<>(40, i -> Tensor.rand(3).add(Tensor.randn(3).dropout(0.5, true)));
    var runs = new ArrayList<List<float[]>>();
    for (int workers : new int[] {0, 1, 4}) {
      Tensor.manualSeed(5);
      try (var loader =
          new DataLoader<>(
              data,
              o ->
                  o.batchSize(4)
                      .shuffle(true)
                      .workers(workers)
                      .collation(
                          s -> Tensor.cat(List.of(Tensor.stack(s, 0), Tensor.rand(1, 3)), 0)))) {
        runs.add(read(loader).stream().map(Tensor::toFloatArray).toList());
        runs.getLast().forEach(batch -> assertThat(batch).doesNotHaveDuplicates());
      }
      assertThat(Generator.global().nextSeed()).isEqualTo(afterOneEpoch());
    }

    assertThat(runs.get(1)).usingRecursiveComparison().isEqualTo(runs.get(0));
    assertThat(runs.get(2)).usingRecursiveComparison().isEqualTo(runs.get(0));
  }

  /// The third seed after 5: the epoch has drawn one, and the order another.
  private static long afterOneEpoch() {
    var generator = new Generator(5);
    generator.nextSeed();
    generator.nextSeed();
    return generator.nextSeed();
  }

  // Modes

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void modesAreThoseOfTheReader(int workers) {
    var data = new Samples<>(2, i -> Tensor.ones(1).requiresGrad_().mul(1));
    Tensor plain;
    Tensor inference;
    try (var loader = new DataLoader<>(data, o -> o.batchSize(2).workers(workers))) {
      try (var _ = DType.withDefault(DType.FLOAT64)) {
        plain = read(loader).getFirst();
      }
      inference =
          Autograd.inferenceMode(() ->
              read(new DataLoader<>(new Samples<>(1, i -> Tensor.ones(1)), o -> o.workers(workers)))
                  .getFirst());
    }

    assertThat(plain.dtype()).isEqualTo(DType.FLOAT64);
    assertThat(plain.requiresGrad()).isFalse();
    assertThat(inference.isInference()).isTrue();
    assertThat(Tensor.ones(1).isInference()).isFalse();
  }

  // Collation

  private enum Kind {
    CAT,
    DOG
  }

  private static <T> Object collated(List<T> samples) {
    return Collation.<T, Object>standard().collate(samples);
  }

  private static void isTensor(Object batch, DType dtype, String shape) {
    assertThat(batch)
        .isInstanceOfSatisfying(
            Tensor.class,
            tensor -> {
              assertThat(tensor.dtype()).isEqualTo(dtype);
              assertThat(tensor.shape()).hasToString(shape);
            });
  }

  @Test
  void numbersBecomeTensorsAndWordsLists() {
    isTensor(collated(List.of(1, 2, 3)), DType.INT64, "[3]");
    isTensor(collated(List.of((byte) 1, 2L)), DType.INT64, "[2]");
    isTensor(collated(List.of(1, 2.5f)), DType.FLOAT64, "[2]");
    isTensor(collated(List.of(true, false)), DType.BOOL, "[2]");
    assertThat(collated(List.of("a", "b"))).isEqualTo(List.of("a", "b"));
    assertThat(collated(List.of(Kind.CAT, Kind.DOG))).isEqualTo(List.of(Kind.CAT, Kind.DOG));
    assertThat(collated(List.of('x', 'y'))).isEqualTo(List.of('x', 'y'));
  }

  @Test
  void arraysOfNumbersAreStacked() {
    isTensor(collated(List.of(new float[3], new float[3])), DType.FLOAT32, "[2, 3]");
    isTensor(collated(List.of(new double[1])), DType.FLOAT64, "[1, 1]");
    isTensor(collated(List.of(new long[0], new long[0])), DType.INT64, "[2, 0]");
    isTensor(collated(List.of(new int[2])), DType.INT32, "[1, 2]");
  }

  @Test
  void mapsListsAndArraysAreCollatedByPlace() {
    var samples =
        List.of(
            Map.of("id", 1, "tags", List.of("a", 2.0)), Map.of("id", 2, "tags", List.of("b", 3.0)));

    var batch = (Map<?, ?>) collated(samples);

    isTensor(batch.get("id"), DType.INT64, "[2]");
    var tags = (List<?>) batch.get("tags");
    assertThat(tags.getFirst()).isEqualTo(List.of("a", "b"));
    isTensor(tags.getLast(), DType.FLOAT64, "[2]");
    var pair =
        (Tensor[])
            collated(
                List.of(
                    new Tensor[] {Tensor.ones(2), Tensor.ones(3)},
                    new Tensor[] {Tensor.ones(2), Tensor.ones(3)}));
    isTensor(pair[1], DType.FLOAT32, "[2, 3]");
    assertThat((Object[]) collated(List.of(new String[] {"a"}, new String[] {"b"})))
        .containsExactly(List.of("a", "b"));
  }

  /// A sample with a label that is a number.
  record Picture(Tensor image, int label, Caption caption) {}

  /// What is in a sample.
  record Caption(String text, Kind kind) {}

  /// A batch of [Picture].
  record Pictures(Tensor image, Tensor label) {}

  /// A batch of [Caption].
  record Captions(List<String> text, List<Kind> kind) {}

  /// What asks for more than there is.
  record Unknown(Tensor picture) {}

  private static final Samples<Picture> PICTURES =
      new Samples<>(3, i -> new Picture(Tensor.ones(2), (int) i, new Caption("no " + i, Kind.DOG)));

  @Test
  void recordsBecomeRecordsForBatches() {
    Pictures batch =
        new DataLoader<>(PICTURES, o -> o.batchSize(3).collation(Collation.into(Pictures.class)))
            .iterator()
            .next();
    var captions =
        Collation.<Caption, Captions>into(Captions.class)
            .collate(List.of(new Caption("a", Kind.CAT), new Caption("b", Kind.DOG)));

    assertThat(batch.label().toLongArray()).containsExactly(0, 1, 2);
    assertThat(batch.image().shape()).hasToString("[3, 2]");
    assertThat(captions.text()).containsExactly("a", "b");
    assertThat(captions.kind()).containsExactly(Kind.CAT, Kind.DOG);
  }

  @Test
  void aRecordThatCannotHoldItsBatchIsRefused() {
    assertThatThrownBy(() -> read(new DataLoader<>(PICTURES)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "DataLoader: component label of Picture must be able to hold a batch, a Tensor, but is int. Write another record for batches, and use o -> o.collation(Collation.into(Batch.class)).");
    assertThatThrownBy(
            () -> read(new DataLoader<>(PICTURES, o -> o.collation(Collation.into(Unknown.class)))))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "DataLoader: samples must have a component for each of Unknown, but Picture has no picture.");
  }

  @Test
  void aBatchOfAnotherTypeIsAskedFor() {
    var numbers = new Samples<>(4, i -> (int) i);

    DataLoader<Tensor> loader =
        new DataLoader<>(numbers, o -> o.batchSize(4).collation(Collation.standard()));

    assertThat(read(loader).getFirst().toLongArray()).containsExactly(0, 1, 2, 3);
    assertThatThrownBy(() -> new DataLoader<>(numbers).iterator().next())
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "DataLoader: batches must have the type of their samples, but samples are Integer and a batch of them is a Tensor. Use o -> o.collation(Collation.standard()) and name the type of a batch: DataLoader<Tensor> loader = …");
  }

  @Test
  void theBatchSizeMayBeBeyondAllSamples() {
    var data = new Samples<>(3000, i -> number(i, 1));

    assertThat(read(new DataLoader<>(data, o -> o.batchSize(Integer.MAX_VALUE))).getFirst().numel())
        .isEqualTo(3000);
    try (var loader =
        new DataLoader<>(data, o -> o.batchSize(1000).workers(2).prefetch(Integer.MAX_VALUE))) {
      assertThat(read(loader)).hasSize(3);
    }
  }

  // Errors

  private static void fails(List<?> samples, String message) {
    assertThatThrownBy(() -> collated(samples))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void nullsAreNamed() {
    String remedy = " Give the loader a collation of your own: o -> o.collation(…).";
    var list = new ArrayList<@org.jspecify.annotations.Nullable Object>();
    list.add(null);

    assertThatThrownBy(() ->
            read(
                new DataLoader<>(
                    new Samples<Tensor>(2, i -> i == 1 ? null : Tensor.ones(1)),
                    o -> o.batchSize(2))))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("DataLoader: samples must not be null, but sample 1 of the batch is." + remedy);
    fails(
        List.of(list),
        "DataLoader: samples must have no nulls in them, but [0] of sample 0 of the batch is null."
            + remedy);
    fails(
        List.of(Map.of("a", new Caption(null, Kind.CAT))),
        "DataLoader: samples must have no nulls in them, but a.text of sample 0 of the batch is null."
            + remedy);
    fails(
        List.of(new Example(Tensor.ones(1), null)),
        "DataLoader: samples must have no nulls in them, but target of sample 0 of the batch is null."
            + remedy);
  }

  @Test
  void aCollationOfOnesOwnMaySkipNulls() {
    var data = new Samples<Tensor>(4, i -> i % 2 == 0 ? null : number(i, 1));

    Tensor batch =
        new DataLoader<>(
                data,
                o ->
                    o.batchSize(4)
                        .collation(
                            s -> Tensor.stack(s.stream().filter(t -> t != null).toList(), 0)))
            .iterator()
            .next();

    assertThat(batch.toFloatArray()).containsExactly(1, 3);
  }

  @Test
  void aCollationMustReturnABatchAndMayThrow() {
    var data = new Samples<>(2, i -> Tensor.ones(1));

    assertThatThrownBy(() -> read(new DataLoader<>(data, o -> o.collation(s -> (Tensor) null))))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("DataLoader: the collation must return a batch, but returned null.");
    assertThatThrownBy(() ->
            read(
                new DataLoader<>(
                    data,
                    o ->
                        o.workers(1)
                            .collation(s -> {
                              throw new IllegalStateException("no");
                            }))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "DataLoader: batch 0 could not be collated: java.lang.IllegalStateException: no");
  }

  private static void refuses(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(ArgumentException.class).hasMessage(message);
  }

  @Test
  void argumentsThatAreMissingAreNamed() {
    refuses(() -> new DataLoader<Tensor>(null), "DataLoader: data must be given, but is null.");
    refuses(
        () -> new DataLoader<>(PICTURES, o -> o.collation(null)),
        "DataLoader: collation must be given, but is null.");
    refuses(() -> new RandomSampler(3, null), "RandomSampler: options must be given, but is null.");
    refuses(
        () -> new DistributedSampler(3, 1, 0, _ -> null),
        "DistributedSampler: what options return must be given, but is null.");
    refuses(
        () -> new WeightedRandomSampler(null, 1),
        "WeightedRandomSampler: weights must be given, but is null.");
    refuses(() -> new Subset<>(null, 1), "Subset: data must be given, but is null.");
    refuses(
        () -> new BatchSampler(null, 1, true), "BatchSampler: sampler must be given, but is null.");
  }

  @Test
  void aShareOfMoreSamplesThanAnArrayHoldsIsReadInSequence() {
    var sampler = new DistributedSampler(1L << 40, 4, 3, o -> o.shuffle(false));

    var order = sampler.iterator();

    assertThat(order.nextLong()).isEqualTo(3);
    assertThat(order.nextLong()).isEqualTo(7);
  }

  @Test
  void samplesThatDoNotFitTogetherAreNamed() {
    String remedy = " Give the loader a collation of your own: o -> o.collation(…).";
    fails(
        List.of("a", Tensor.ones(1)),
        "DataLoader: the samples of a batch must be of one kind, but the class of sample 0 of the batch is a String and of sample 1 a Tensor."
            + remedy);
    fails(
        List.of(List.of(1), List.of(1, 2)),
        "DataLoader: the samples of a batch must have one length, but the list of sample 0 of the batch has 1 elements and of sample 1 2."
            + remedy);
    fails(
        List.of(Map.of("a", 1), Map.of("b", 1)),
        "DataLoader: the samples of a batch must have the same keys, but the map of sample 0 of the batch has [a] and of sample 1 [b]."
            + remedy);
    fails(
        List.of(Optional.of(1)),
        "DataLoader: samples must be tensors, numbers, strings, or records, maps, lists or arrays of them, but are java.util.Optional."
            + remedy);
    fails(List.of(), "DataLoader: a batch must have at least one sample, but has none.");
  }

  @Test
  void errorsOfTheMachineSayWhichSampleItWas() {
    var data =
        new Samples<Tensor>(
            3,
            i -> {
              throw new AssertionError("broken");
            });

    assertThatThrownBy(() -> read(new DataLoader<>(data, o -> o.workers(1))))
        .isInstanceOf(AssertionError.class)
        .hasMessage("broken")
        .satisfies(e ->
            assertThat(e.getSuppressed()[0]).hasMessage("DataLoader: sample 0 was being loaded."));
  }

  @Test
  void aLoopThatIsLeftOrFailsLeavesNoThread() throws InterruptedException {
    var workers = ConcurrentHashMap.<Thread>newKeySet();
    var reads = new AtomicInteger();
    var data =
        new Samples<>(
            100,
            i -> {
              workers.add(Thread.currentThread());
              if (reads.incrementAndGet() == 90) {
                throw new IllegalStateException("no");
              }
              return Tensor.ones(1);
            });
    for (Tensor _ : new DataLoader<>(data, o -> o.workers(3))) {
      break;
    }
    assertThatThrownBy(() -> read(new DataLoader<>(data, o -> o.workers(3))))
        .isInstanceOf(IllegalStateException.class);

    for (Thread worker : workers) {
      worker.join(10_000);
      assertThat(worker.isAlive()).isFalse();
    }
    assertThat(workers).hasSizeBetween(2, 6);
  }
}
