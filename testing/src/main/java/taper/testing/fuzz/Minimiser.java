package taper.testing.fuzz;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/// Makes a call that fails smaller as long as it fails in the same way.
final class Minimiser {
  private static final int TRIES = 80;
  private static final long NANOS = 12_000_000_000L;

  private final WorkerProcess worker;

  Minimiser(WorkerProcess worker) {
    this.worker = worker;
  }

  String minimised(WorkerProcess.Answer failing) throws IOException {
    String call = failing.call();
    String kind = failing.kind();
    int tries = failing.hangs() ? 4 : TRIES;
    long end = System.nanoTime() + NANOS;
    boolean better = true;
    while (better) {
      better = false;
      List<String> simpler = worker.serve("simpler " + call, _ -> {});
      for (String candidate : simpler) {
        if (tries-- <= 0 || System.nanoTime() > end) {
          return call;
        }
        var answer = new AtomicReference<WorkerProcess.Answer>();
        worker.serve("make " + candidate, answer::set);
        WorkerProcess.Answer got = answer.get();
        if (got != null && got.isFault() && got.kind().equals(kind)) {
          call = candidate;
          better = true;
          break;
        }
      }
    }
    return call;
  }
}
