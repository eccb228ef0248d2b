package taper.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.Generator;
import taper.tensor.Memory;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

final class DataLoaderTest {

  /// Sample i is the vector [i, u], where u is drawn from the sample's own stream.
  private record Numbers(long size) implements Dataset<Tensor> {
    @Override
    public Tensor get(long index) {
      return Tensor.of(new float[] {index, (float) SampleRandom.generator().uniform()});
    }
  }

  private static List<float[]> read(DataLoader<Tensor> loader) {
    var result = new ArrayList<float[]>();
    for (Tensor batch : loader) {
      result.add(batch.toFloatArray());
    }
    return result;
  }

  @Test
  void batchesComeInSequenceWithARest() {
    var loader = new DataLoader<>(new Numbers(5), o -> o.batchSize(2));

    assertThat(loader.size()).isEqualTo(3);
    assertThat(read(loader).stream().map(b -> b.length / 2)).containsExactly(2, 2, 1);
  }

  @Test
  void theNumberOfWorkersChangesNothing() {
    var runs = new ArrayList<List<float[]>>();
    for (int workers : new int[] {0, 1, 4}) {
      var generator = new Generator(3);
      try (var loader =
          new DataLoader<>(
              new Numbers(103),
              o -> o.batchSize(8).shuffle(true).workers(workers).generator(generator))) {
        List<float[]> epochs = read(loader);
        epochs.addAll(read(loader));
        runs.add(epochs);
      }
    }

    assertThat(runs.get(1)).usingRecursiveComparison().isEqualTo(runs.get(0));
    assertThat(runs.get(2)).usingRecursiveComparison().isEqualTo(runs.get(0));
    assertThat(runs.get(0).get(0)).isNotEqualTo(runs.get(0).get(13)); // the second epoch is another
  }

  @Test
  void anExceptionInAWorkerNamesTheSample() {
    Dataset<Tensor> broken =
        new Dataset<>() {
          @Override
          public long size() {
            return 10;
          }

          @Override
          public Tensor get(long index) {
            if (index == 7) {
              throw new IllegalStateException("no such picture");
            }
            return Tensor.ones(1);
          }
        };
    for (int workers : new int[] {0, 2}) {
      try (var loader = new DataLoader<>(broken, o -> o.batchSize(4).workers(workers))) {
        assertThatThrownBy(() -> read(loader))
            .hasMessage(
                "DataLoader: sample 7 could not be loaded: java.lang.IllegalStateException: no such picture");
      }
    }
  }

  @Test
  void aBatchSizeOfZeroIsRefused() {
    assertThatThrownBy(() -> new DataLoader<>(new Numbers(5), o -> o.batchSize(0)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "DataLoader: batchSize must be at least 1, but it is 0. Use 1 for batches of"
                + " single samples.");
  }

  @Test
  void samplesOfDifferentShapesAreRefused() {
    Dataset<Tensor> ragged =
        new Dataset<>() {
          @Override
          public long size() {
            return 2;
          }

          @Override
          public Tensor get(long index) {
            return Tensor.ones(2 + index);
          }
        };
    var loader = new DataLoader<>(ragged, o -> o.batchSize(2));

    assertThatThrownBy(() -> read(loader))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "DataLoader: the samples of a batch must have one shape, but sample 0 of the batch is [2] and sample 1 is [3]. Resize or pad them, or give the loader a collation of your own.");
  }

  /// A sample of its own kind.
  record Pair(Tensor left, Tensor right) {}

  @Test
  void recordsAreStackedByComponent() {
    Dataset<Pair> pairs =
        new Dataset<>() {
          @Override
          public long size() {
            return 3;
          }

          @Override
          public Pair get(long index) {
            return new Pair(Tensor.ones(2), Tensor.zeros(1));
          }
        };

    Pair batch = new DataLoader<>(pairs, o -> o.batchSize(3)).iterator().next();

    assertThat(batch.left().shape()).hasToString("[3, 2]");
    assertThat(batch.right().shape()).hasToString("[3, 1]");
  }

  @Test
  void aClosedLoaderEndsItsIterations() {
    var loader = new DataLoader<>(new Numbers(100), o -> o.batchSize(2).workers(2));
    var iterator = loader.iterator();
    iterator.next();

    loader.close();

    assertThatThrownBy(iterator::next)
        .hasMessage("DataLoader: the loader was closed while it was being read.");
    assertThatThrownBy(loader::iterator)
        .hasMessage("DataLoader: the loader must be open, but has been closed.");
  }

  @Test
  void aStepCanOwnItsBatch() {
    var loader = new DataLoader<>(new Numbers(64), o -> o.batchSize(8).workers(2));
    read(loader);
    Memory.snapshot().leaked(); // collects
    long before = Memory.allocated();

    for (Tensor batch : loader) {
      try (var step = Memory.scope()) {
        step.own(batch);
      }
    }

    Memory.snapshot().leaked(); // what nobody kept of the samples is the collector's
    assertThat(Memory.allocated()).isEqualTo(before);
  }

  @Test
  void theShareOfWaitingIsANumberOneCanRead() {
    var loader = new DataLoader<>(new Numbers(64), o -> o.batchSize(8));
    read(loader);

    assertThat(loader.waitingShare()).isBetween(0.0, 1.0);
  }
}
