package taper.data;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Generator;
import taper.tensor.Memory;
import taper.tensor.TaperException;
import taper.tensor.Tensor;

/// Cuts a data set into batches, in the order of a sampler, prepared by worker threads ahead of time.
///
/// Every iteration is an epoch. The batches and their order do not depend on the number of workers. An exception in a worker
/// appears in the loop, with the number of the sample. Iterations belong to the thread that reads them; several may
/// go on at once. Workers are daemon threads that end by themselves when nothing is to do; [#close()] ends them at once.
///
/// ```java
/// var loader = new DataLoader<>(Mnist.train(transform), o -> o.batchSize(64).shuffle(true).workers(2));
/// for (var batch : loader) { … batch.input() … batch.target() … }
/// ```
///
/// @param <T> the type of a sample, and of a batch
public final class DataLoader<T> implements Iterable<T>, AutoCloseable {
  private final Dataset<T> data;
  private final Options<T> options;
  private final Sampler<long[]> batches;
  private final @Nullable ThreadPoolExecutor pool;
  private volatile boolean closed;
  private long epochs;
  private volatile long waitedNanos;
  private volatile long loopNanos;

  /// What may be chosen.
  ///
  /// @param batchSize samples in a batch
  /// @param shuffle whether to visit the samples in a random order
  /// @param sampler the order, in the place of `shuffle`; null: in sequence or shuffled
  /// @param batchSampler the batches themselves, in the place of `batchSize`, `shuffle`, `sampler` and `dropLast`
  /// @param workers threads that prepare batches; 0 prepares each when it is asked for
  /// @param prefetch batches that each worker prepares ahead
  /// @param dropLast whether a last batch that is not full is left out
  /// @param generator where the order comes from; null: [Generator#global()]
  /// @param collation how samples become a batch
  /// @param <T> the type of a sample
  public record Options<T>(
      int batchSize,
      boolean shuffle,
      @Nullable Sampler<Long> sampler,
      @Nullable Sampler<long[]> batchSampler,
      int workers,
      int prefetch,
      boolean dropLast,
      @Nullable Generator generator,
      Collation<T> collation) {

    /// These options with another batch size.
    public Options<T> batchSize(int size) {
      return new Options<>(
          size, shuffle, sampler, batchSampler, workers, prefetch, dropLast, generator, collation);
    }

    /// These options, shuffled or not.
    public Options<T> shuffle(boolean on) {
      return new Options<>(
          batchSize, on, sampler, batchSampler, workers, prefetch, dropLast, generator, collation);
    }

    /// These options with an order of their own.
    public Options<T> sampler(Sampler<Long> order) {
      return new Options<>(
          batchSize,
          shuffle,
          order,
          batchSampler,
          workers,
          prefetch,
          dropLast,
          generator,
          collation);
    }

    /// These options with batches of their own.
    public Options<T> batchSampler(Sampler<long[]> order) {
      return new Options<>(
          batchSize, shuffle, sampler, order, workers, prefetch, dropLast, generator, collation);
    }

    /// These options with another number of workers.
    public Options<T> workers(int threads) {
      return new Options<>(
          batchSize,
          shuffle,
          sampler,
          batchSampler,
          threads,
          prefetch,
          dropLast,
          generator,
          collation);
    }

    /// These options with another number of batches prepared ahead by each worker.
    public Options<T> prefetch(int batches) {
      return new Options<>(
          batchSize,
          shuffle,
          sampler,
          batchSampler,
          workers,
          batches,
          dropLast,
          generator,
          collation);
    }

    /// These options, with or without a last batch that is not full.
    public Options<T> dropLast(boolean on) {
      return new Options<>(
          batchSize, shuffle, sampler, batchSampler, workers, prefetch, on, generator, collation);
    }

    /// These options with another generator.
    public Options<T> generator(Generator from) {
      return new Options<>(
          batchSize, shuffle, sampler, batchSampler, workers, prefetch, dropLast, from, collation);
    }

    /// These options with another way to make batches.
    public Options<T> collation(Collation<T> how) {
      return new Options<>(
          batchSize, shuffle, sampler, batchSampler, workers, prefetch, dropLast, generator, how);
    }
  }

  /// A loader with batches of one sample, in sequence, without workers.
  public DataLoader(Dataset<T> data) {
    this(data, o -> o);
  }

  /// A loader for `data`.
  ///
  /// @throws ArgumentException if the batch size is less than 1, a number of workers negative, or options exclude each other
  public DataLoader(Dataset<T> data, UnaryOperator<Options<T>> options) {
    this.data = data;
    this.options =
        options.apply(new Options<>(1, false, null, null, 0, 2, false, null, Collation.stacking()));
    Options<T> o = this.options;
    if (o.batchSize < 1) {
      throw new ArgumentException(
          "DataLoader: batchSize must be at least 1, but it is %d. Use 1 for batches of single samples."
              .formatted(o.batchSize));
    }
    Checks.notNegative("DataLoader", "workers", o.workers);
    Checks.positive("DataLoader", "prefetch", o.prefetch);
    if (o.sampler != null && o.shuffle
        || o.batchSampler != null && (o.shuffle || o.sampler != null)) {
      throw new ArgumentException(
          "DataLoader: only one of shuffle, sampler and batchSampler may say the order, but several"
              + " do.");
    }
    Sampler<long[]> given = o.batchSampler;
    this.batches =
        given != null ? given : new BatchSampler(order(data, o), o.batchSize, o.dropLast);
    this.pool = o.workers == 0 ? null : pool(o.workers);
  }

  private static Sampler<Long> order(Dataset<?> data, Options<?> o) {
    Sampler<Long> sampler = o.sampler;
    if (sampler != null) {
      return sampler;
    }
    if (!o.shuffle) {
      return new SequentialSampler(data.size());
    }
    Generator generator = o.generator;
    return new RandomSampler(data.size(), r -> generator == null ? r : r.generator(generator));
  }

  private static ThreadPoolExecutor pool(int workers) {
    var pool =
        new ThreadPoolExecutor(
            workers,
            workers,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("taper-loader-", 0).factory());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /// The number of batches in an epoch.
  public long size() {
    return batches.size();
  }

  /// The data set.
  public Dataset<T> dataset() {
    return data;
  }

  /// The share of the time of all epochs so far that the reading thread waited for batches, 0 to 1. Near 0 the
  /// model is what takes the time; more workers help where it is not.
  public double waitingShare() {
    long total = loopNanos;
    return total == 0 ? 0 : (double) waitedNanos / total;
  }

  /// Begins an epoch.
  @Override
  public Iterator<T> iterator() {
    if (closed) {
      throw new IllegalStateException("DataLoader: the loader must be open, but has been closed.");
    }
    // PyTorch draws a base seed here, whether or not anything random follows.
    long base = Generators.orGlobal(options.generator).nextSeed();
    return new Epoch(new Generator(base), epochs++);
  }

  /// Ends the workers. Iterations that go on fail.
  @Override
  public void close() {
    closed = true;
    if (pool != null) {
      pool.shutdownNow().forEach(task -> ((Future<?>) task).cancel(true));
    }
  }

  private final class Epoch implements Iterator<T> {
    private final Generator base;
    private final long epoch;
    private final Iterator<long[]> order = batches.iterator();
    private final ArrayDeque<FutureTask<T>> ahead = new ArrayDeque<>();
    private long last = System.nanoTime();

    Epoch(Generator base, long epoch) {
      this.base = base;
      this.epoch = epoch;
    }

    /// Hands out batches of indices up to the bound. Only the reading thread draws, so the order is one.
    private void fill() {
      int bound = Math.max(1, options.workers * options.prefetch);
      while (ahead.size() < bound && order.hasNext()) {
        long[] indices = order.next();
        var task = new FutureTask<>(() -> load(indices));
        ahead.add(task);
        if (pool != null && !closed) {
          pool.execute(task);
        }
      }
    }

    @Override
    public boolean hasNext() {
      if (ahead.isEmpty()) {
        fill();
      }
      return !ahead.isEmpty();
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread counts, others look
    public T next() {
      if (closed) {
        throw new IllegalStateException(
            "DataLoader: the loader was closed while it was being read.");
      }
      fill();
      FutureTask<T> task = ahead.poll();
      if (task == null) {
        throw new NoSuchElementException("DataLoader: all " + size() + " batches have been read");
      }
      fill();
      long before = System.nanoTime();
      if (pool == null) {
        task.run();
      }
      T batch = result(task);
      long now = System.nanoTime();
      waitedNanos += now - before;
      loopNanos += now - last;
      last = now;
      return batch;
    }

    private T result(FutureTask<T> task) {
      try {
        return task.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(
            "DataLoader: the thread was interrupted while it waited for a batch.", e);
      } catch (CancellationException e) {
        throw new IllegalStateException(
            "DataLoader: the loader was closed while it was being read.", e);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException problem) {
          throw problem;
        }
        if (e.getCause() instanceof Error problem) {
          throw problem;
        }
        throw new IllegalStateException(e.getCause());
      }
    }

    /// Loads the samples and makes a batch of them; everything else that is made on the way goes at once.
    private T load(long[] indices) {
      try (var _ = Autograd.noGrad();
          var _ = Memory.scope("batch")) {
        List<T> samples = new ArrayList<>(indices.length);
        for (long index : indices) {
          samples.add(sample(index));
        }
        T batch = options.collation.collate(samples);
        keep(batch);
        return batch;
      }
    }

    private T sample(long index) {
      SampleRandom.begin(base, epoch, index);
      try {
        return data.get(index);
      } catch (TaperException e) {
        e.within("DataLoader: sample " + index);
        throw e;
      } catch (RuntimeException e) {
        throw new IllegalStateException(
            "DataLoader: sample " + index + " could not be loaded: " + e, e);
      } finally {
        SampleRandom.end();
      }
    }
  }

  /// Takes the tensors of a batch out of the scope in which it was made.
  private static void keep(Object batch) {
    switch (batch) {
      case Tensor tensor -> tensor.keep();
      case Example example -> {
        example.input().keep();
        example.target().keep();
      }
      case Iterable<?> items -> items.forEach(DataLoader::keep);
      case Map<?, ?> named -> named.values().forEach(DataLoader::keep);
      case Object[] items -> List.of(items).forEach(DataLoader::keep);
      case Record record -> {
        for (var component : record.getClass().getRecordComponents()) {
          try {
            var accessor = component.getAccessor();
            accessor.setAccessible(true);
            keep(accessor.invoke(record));
          } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
          }
        }
      }
      case Object _ -> {}
    }
  }
}
