package taper.data;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Generator;
import taper.tensor.Memory;
import taper.tensor.Modes;
import taper.tensor.TaperException;

/// Cuts a data set into batches, in the order of a sampler, prepared by worker threads ahead of time.
///
/// Every iteration is an epoch. The batches and their order do not depend on the number of workers: random operators
/// that a data set or a collation calls draw from streams of the sample's or the batch's own, see [SampleRandom], and
/// modes such as the default type are those of the thread that reads, when it begins an epoch. Nothing is recorded. An
/// exception in a worker appears in the loop, with the number of the sample.
///
/// What a data set keeps lives on, and so do the batches, whatever scope is open: the collector lets go of what nobody
/// refers to. Samples go as soon as they are in a batch if the data set says that it keeps none, see
/// [Dataset#letsNothingEscape()]. A step that is to let go of its batch at once takes it with
/// [taper.tensor.Memory.Scope#own].
///
/// Iterations belong to the thread that reads them; several may go on at once. Workers are daemon threads that end by
/// themselves when nothing is to do; [#close()] ends them at once.
///
/// ```java
/// var loader = new DataLoader<>(Mnist.train(transform), o -> o.batchSize(64).shuffle(true).workers(2));
/// for (var batch : loader) { … batch.input() … batch.target() … }
/// ```
///
/// @param <B> the type of a batch
public final class DataLoader<B> implements Iterable<B>, AutoCloseable {
  private final Work<?, B> work;
  private final Options<?, B> options;
  private final Sampler<long[]> batches;
  private final @Nullable ThreadPoolExecutor pool;
  private final AtomicLong epochs = new AtomicLong();
  private volatile boolean closed;
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
  /// @param <S> the type of a sample
  /// @param <B> the type of a batch
  public record Options<S, B>(
      int batchSize,
      boolean shuffle,
      @Nullable Sampler<Long> sampler,
      @Nullable Sampler<long[]> batchSampler,
      int workers,
      int prefetch,
      boolean dropLast,
      @Nullable Generator generator,
      Collation<S, B> collation) {

    private static <S> Options<S, S> ofDefaults() {
      return new Options<>(1, false, null, null, 0, 2, false, null, Collation.stacking());
    }

    /// These options with another batch size.
    public Options<S, B> batchSize(int size) {
      return new Options<>(
          size, shuffle, sampler, batchSampler, workers, prefetch, dropLast, generator, collation);
    }

    /// These options, shuffled or not.
    public Options<S, B> shuffle(boolean on) {
      return new Options<>(
          batchSize, on, sampler, batchSampler, workers, prefetch, dropLast, generator, collation);
    }

    /// These options with an order of their own.
    public Options<S, B> sampler(@Nullable Sampler<Long> order) {
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
    public Options<S, B> batchSampler(@Nullable Sampler<long[]> order) {
      return new Options<>(
          batchSize, shuffle, sampler, order, workers, prefetch, dropLast, generator, collation);
    }

    /// These options with another number of workers.
    public Options<S, B> workers(int threads) {
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
    public Options<S, B> prefetch(int batches) {
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
    public Options<S, B> dropLast(boolean on) {
      return new Options<>(
          batchSize, shuffle, sampler, batchSampler, workers, prefetch, on, generator, collation);
    }

    /// These options with another generator.
    public Options<S, B> generator(@Nullable Generator from) {
      return new Options<>(
          batchSize, shuffle, sampler, batchSampler, workers, prefetch, dropLast, from, collation);
    }

    /// These options with another way to make batches, which may have another type than the samples.
    ///
    /// @param <C> the type of a batch
    public <C> Options<S, C> collation(Collation<S, C> how) {
      return new Options<>(
          batchSize, shuffle, sampler, batchSampler, workers, prefetch, dropLast, generator, how);
    }
  }

  /// A loader with batches of one sample, in sequence, without workers.
  public DataLoader(Dataset<B> data) {
    this(data, o -> o);
  }

  /// A loader for `data`.
  ///
  /// @param options as in `o -> o.batchSize(64).shuffle(true)`
  /// @param <S> the type of a sample
  /// @throws ArgumentException if the batch size is less than 1, a number of workers negative, or options exclude each other
  public <S> DataLoader(Dataset<S> data, Function<Options<S, S>, Options<S, B>> options) {
    Checks.given("DataLoader", "data", data);
    Options<S, B> o = Checks.chosen("DataLoader", options, Options.ofDefaults());
    Checks.given("DataLoader", "collation", o.collation);
    this.options = o;
    this.work = new Work<>(data, o.collation);
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

  private static Sampler<Long> order(Dataset<?> data, Options<?, ?> o) {
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
  public Dataset<?> dataset() {
    return work.data;
  }

  /// The share of the time of all epochs so far that the reading thread waited for batches, 0 to 1. Near 0 the
  /// model is what takes the time; more workers help where it is not.
  public double waitingShare() {
    long total = loopNanos;
    return total == 0 ? 0 : (double) waitedNanos / total;
  }

  /// Begins an epoch.
  @Override
  public Iterator<B> iterator() {
    if (closed) {
      throw new IllegalStateException("DataLoader: the loader must be open, but has been closed.");
    }
    // PyTorch draws a base seed here, whether or not anything random follows.
    long base = Generators.orGlobal(options.generator).nextSeed();
    return new Epoch(new Generator(base), epochs.getAndIncrement());
  }

  /// Ends the workers. Iterations that go on fail.
  @Override
  public void close() {
    closed = true;
    if (pool != null) {
      pool.shutdownNow().forEach(task -> ((Future<?>) task).cancel(true));
    }
  }

  private final class Epoch implements Iterator<B> {
    private final Generator base;
    private final long epoch;
    private final Modes modes = Modes.current();
    private final Iterator<long[]> order = batches.iterator();
    private final ArrayDeque<FutureTask<B>> ahead = new ArrayDeque<>();
    private long handedOut;
    private long last = System.nanoTime();

    Epoch(Generator base, long epoch) {
      this.base = base;
      this.epoch = epoch;
    }

    /// Hands out batches of indices up to the bound. Only the reading thread draws, so the order is one.
    private void fill() {
      long bound = Math.max(1, (long) options.workers * options.prefetch);
      while (ahead.size() < bound && order.hasNext()) {
        long[] indices = Checks.given("DataLoader", "a batch of the batch sampler", order.next());
        long number = handedOut++;
        var task = new FutureTask<>(() -> load(indices, number));
        ahead.add(task);
        if (pool != null) {
          try {
            pool.execute(task);
          } catch (RejectedExecutionException e) { // the loader is being closed
            task.cancel(false);
          }
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
    public B next() {
      if (closed) {
        throw new IllegalStateException(
            "DataLoader: the loader was closed while it was being read.");
      }
      fill();
      FutureTask<B> task = ahead.poll();
      if (task == null) {
        throw new NoSuchElementException("DataLoader: all " + size() + " batches have been read");
      }
      fill();
      long before = System.nanoTime();
      if (pool == null) {
        task.run();
      }
      B batch = result(task);
      long now = System.nanoTime();
      waitedNanos += now - before;
      loopNanos += now - last;
      last = now;
      return batch;
    }

    private B result(FutureTask<B> task) {
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

    /// Loads the samples and makes a batch of them, as the reading thread would do, but outside of its scopes.
    private B load(long[] indices, long number) {
      return Memory.unscoped(
          () -> modes.run(() -> Autograd.noGrad(() -> work.batch(indices, base, epoch, number))));
    }
  }

  /// What turns indices into a batch: code of the user.
  private record Work<S, B>(Dataset<S> data, Collation<S, B> collation) {

    /// A batch; samples that nobody has kept go at once, if that is sure.
    B batch(long[] indices, Generator base, long epoch, long number) {
      if (!(collation instanceof Stacking) || !data.letsNothingEscape()) {
        return made(indices, base, epoch, number);
      }
      var batch = new ArrayList<B>(1);
      Memory.tidy(() -> {
        batch.add(made(indices, base, epoch, number));
      });
      return batch.getFirst();
    }

    private B made(long[] indices, Generator base, long epoch, long number) {
      List<S> samples = new ArrayList<>(indices.length);
      for (long index : indices) {
        samples.add(
            named(
                "sample " + index,
                "loaded",
                () -> Generator.with(() -> base.derived(epoch, index), () -> data.get(index))));
      }
      // no sample has a negative number
      Supplier<B> collating =
          () ->
              Generator.with(
                  () -> base.derived(epoch, -1 - number), () -> collation.collate(samples));
      B batch =
          collation instanceof Stacking
              ? collating.get()
              : named("batch " + number, "collated", collating);
      if (batch == null) {
        throw new ArgumentException(
            "DataLoader: the collation must return a batch, but returned null.");
      }
      return batch;
    }

    /// Runs `body`, and says in its exceptions what was being done.
    private static <R> R named(String what, String done, Supplier<R> body) {
      try {
        return body.get();
      } catch (TaperException e) {
        e.within("DataLoader: " + what);
        throw e;
      } catch (Error e) {
        e.addSuppressed(
            new IllegalStateException("DataLoader: " + what + " was being " + done + "."));
        throw e;
      } catch (Exception e) { // also a checked one that was thrown in secret
        throw new IllegalStateException(
            "DataLoader: " + what + " could not be " + done + ": " + e, e);
      }
    }
  }
}
