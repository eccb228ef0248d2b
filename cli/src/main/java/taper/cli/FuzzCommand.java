package taper.cli;

import java.io.IOException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import taper.nn.Module;
import taper.optim.Optimizer;
import taper.testing.fuzz.FuzzReport;
import taper.testing.fuzz.Fuzzer;

/// Looks for calls that bring the virtual machine down, or give a wrong result.
@Command(
    name = "fuzz",
    description =
        "Calls operators, methods and layers in ways that nobody thought of, and tells what no program may see.",
    mixinStandardHelpOptions = true,
    footer = "%nExit code 1 if something was found.")
final class FuzzCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(names = "--seed", description = "where calls are drawn from; the day's if left out")
  private long seed = LocalDate.now(ZoneOffset.UTC).toEpochDay();

  @Option(names = "--calls", defaultValue = "10000", description = "how many; ${DEFAULT-VALUE}")
  private long calls;

  @Option(names = "--kernels", description = "x86, java or reference; the best if left out")
  private @Nullable String kernels;

  @Option(names = "--isa", description = "avx2 or avx512; the best if left out")
  private @Nullable String isa;

  /// What is called.
  enum Subject {
    TENSORS,
    LAYERS,
    OPTIMIZERS
  }

  @Option(
      names = "--of",
      defaultValue = "TENSORS",
      description = "${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} if left out")
  private Subject subject = Subject.TENSORS;

  @Parameters(
      paramLabel = "CALL",
      arity = "0..*",
      description = "calls to make instead, as a finding shows them, each in quotes")
  private List<String> chosen = List.of();

  @Override
  public Integer call() throws IOException {
    var flags = new ArrayList<String>();
    if (kernels != null) {
      flags.add("-Dtaper.kernels=" + kernels);
    }
    if (isa != null) {
      flags.add("-Dtaper.isa=" + isa);
    }
    var all = new Fuzzer(flags.toArray(String[]::new));
    Fuzzer fuzzer =
        switch (subject) {
          case TENSORS -> all;
          case LAYERS -> all.ofPackage(Module.class);
          case OPTIMIZERS -> all.ofPackage(Optimizer.class);
        };
    var out = spec.commandLine().getOut();
    FuzzReport report =
        chosen.isEmpty()
            ? fuzzer.run(
                seed,
                calls,
                Duration.ofDays(1),
                finding -> {
                  out.println(finding);
                  out.flush();
                })
            : fuzzer.make(chosen);
    out.println(chosen.isEmpty() ? report.summary() : report);
    return report.findings().isEmpty() ? 0 : 1;
  }
}
