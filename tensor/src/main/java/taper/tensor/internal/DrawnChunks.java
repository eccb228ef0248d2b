package taper.tensor.internal;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import taper.tensor.Generator;
import taper.tensor.spi.Part;

/// Chunks of random numbers that are drawn one after the other and made of the draws on all threads.
///
/// A generator has one state, so draws wait for each other; what is done with them does not have to. A thread takes the
/// next few chunks and their draws while it holds the stream, which is then free for the next one: not one chunk at a
/// time, since the state then moves from one core to the other, which takes longer than the draws of a chunk. Which thread has a
/// chunk does not matter for what is in it.
abstract class DrawnChunks implements Part {
  /// Fewer chunks are not worth the threads.
  private static final long FEW = 16;

  private static final int SPINS = 1 << 10;

  static final int BATCH = 8;

  private final Generator stream = DrawSpace.ofThread().stream;
  private final AtomicBoolean taken = new AtomicBoolean();
  private final int draws;
  private long chunks;
  private long next;

  /// Chunks that need `draws` draws each, at most `2 *` [Normals#CHUNK].
  DrawnChunks(int draws) {
    this.draws = draws;
  }

  /// Makes chunk `chunk` of the draws in `space`.
  abstract void make(long chunk, DrawSpace space);

  /// Whether `chunks` chunks are worth the threads.
  static boolean pays(long chunks) {
    return chunks >= FEW;
  }

  /// Makes all of `count` chunks; the draws are those of `generator`, which the calling thread holds.
  final void fill(long count, Generator generator) {
    chunks = count;
    stream.continueFrom(generator);
    Workers.run((count + BATCH - 1) / BATCH, 1, this);
    generator.continueFrom(stream);
  }

  @Override
  public final void run(long first, long last) {
    DrawSpace space = DrawSpace.ofThread();
    int[] batch = space.batch();
    for (long i = first; i < last; i++) {
      long chunk = drawn(batch);
      long end = Math.min(chunks, chunk + BATCH);
      for (int at = 0; chunk < end; chunk++, at += draws) {
        System.arraycopy(batch, at, space.draws, 0, draws);
        make(chunk, space);
      }
    }
  }

  /// Draws for the next chunks; the first of them.
  private long drawn(int[] batch) {
    for (int spins = 1; !taken.compareAndSet(false, true); spins++) {
      if (spins % SPINS == 0) {
        LockSupport.parkNanos(1); // others may need the processor
      } else {
        Thread.onSpinWait();
      }
    }
    try {
      long chunk = next;
      next = Math.min(chunks, chunk + BATCH);
      stream.random(batch, 0, Math.toIntExact((next - chunk) * draws));
      return chunk;
    } finally {
      taken.set(false);
    }
  }
}
