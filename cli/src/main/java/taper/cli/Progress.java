package taper.cli;

import java.io.PrintWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Shows how far a training is: a bar that renews itself on a terminal, a line now and then elsewhere.
final class Progress {
  private static final int WIDTH = 24;
  private static final Duration REDRAW = Duration.ofMillis(100);
  private static final int PLAIN_LINES = 4;

  private final PrintWriter out;
  private final boolean terminal;
  private @Nullable Bar bar;

  Progress(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /// Begins an epoch of `steps` steps.
  void begin(String title, long steps) {
    bar = new Bar(title, steps, System.nanoTime());
  }

  /// Says that a step is done.
  ///
  /// @param images how many images there were in it
  /// @param loss the mean loss so far
  /// @param accuracy the share of right answers so far, 0 to 1
  void step(int images, double loss, double accuracy) {
    Bar now = bar;
    if (now != null) {
      now.done++;
      now.images += images;
      now.show(loss, accuracy);
    }
  }

  /// Replaces the bar with a line that stays.
  void end(String line) {
    bar = null;
    if (terminal) {
      out.print("\r\033[K");
    }
    out.println(line);
  }

  private final class Bar {
    private final String title;
    private final long steps;
    private final long start;
    private long done;
    private long images;
    private long shown;

    Bar(String title, long steps, long start) {
      this.title = title;
      this.steps = steps;
      this.start = start;
    }

    void show(double loss, double accuracy) {
      long now = System.nanoTime();
      boolean due =
          terminal
              ? now - shown >= REDRAW.toNanos() || done == steps
              : done * PLAIN_LINES / steps != (done - 1) * PLAIN_LINES / steps && done != steps;
      if (!due) {
        return;
      }
      shown = now;
      double seconds = (now - start) / 1e9;
      String text =
          "%s  loss %.4f  accuracy %5.2f %%  %,.0f images/s  %s left"
              .formatted(
                  title,
                  loss,
                  100 * accuracy,
                  images / seconds,
                  clock(seconds / done * (steps - done)));
      if (terminal) {
        int filled = (int) (done * WIDTH / steps);
        out.print("\r" + "█".repeat(filled) + "░".repeat(WIDTH - filled) + " " + text + "\033[K");
        out.flush();
      } else {
        out.println(text);
      }
    }
  }

  private static String clock(double seconds) {
    long s = Math.round(seconds);
    return "%d:%02d".formatted(s / 60, s % 60);
  }
}
