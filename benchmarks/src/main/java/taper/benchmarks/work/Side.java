package taper.benchmarks.work;

/// The program of a JVM that measures workloads with one library.
public final class Side {
  /// A library that makes workloads.
  public interface Library {
    /// What computes, with its version.
    String name();

    /// A workload, ready to run.
    ///
    /// @throws UnsupportedOperationException if the library lacks an operator for it
    Workload workload(String name, Setting setting);
  }

  private static final double KERNEL_SECONDS = 0.15;
  private static final double WORKLOAD_SECONDS = 2;

  private Side() {}

  /// Measures what the setting names, and prints a line of JSON for each workload that the library can run.
  public static void run(Library library, Setting setting) {
    for (String name : setting.names()) {
      boolean kernel = name.startsWith(Workloads.KERNEL);
      try (var workload = library.workload(name, setting)) {
        var measured =
            Clock.measure(
                library.name(),
                name,
                workload,
                setting,
                kernel ? KERNEL_SECONDS : WORKLOAD_SECONDS,
                kernel ? 5 : 10);
        System.out.println(measured.json());
      } catch (UnsupportedOperationException e) {
        System.err.println(library.name() + " cannot run " + name + ": " + e.getMessage());
      }
    }
  }
}
