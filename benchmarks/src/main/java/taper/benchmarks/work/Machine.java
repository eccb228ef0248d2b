package taper.benchmarks.work;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// What the system says about this process and the machine; zeros where it is no Linux.
final class Machine {
  private static final long TICK_NANOS = 10_000_000;

  private Machine() {}

  /// The time that all processors together were busy since the machine started.
  static long busyNanos() {
    try (var lines = Files.lines(Path.of("/proc/stat"))) {
      long[] ticks =
          Arrays.stream(lines.findFirst().orElse("cpu 0 0 0 0 0 0 0 0").trim().split(" +"))
              .skip(1)
              .mapToLong(Long::parseLong)
              .toArray();
      // user, nice, system, and, past idle and waiting, interrupts, soft ones, stolen time
      return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) * TICK_NANOS;
    } catch (IOException _) {
      return 0;
    }
  }

  static long ownNanos() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }

  static long peakBytes() {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException _) {
      return 0;
    }
  }
}
