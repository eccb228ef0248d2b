package taper.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import taper.golden.Golden;

/// Compares Taper's results with those that PyTorch wrote down.
@Command(
    name = "golden",
    description =
        "Runs calls whose results PyTorch has written down, and tells where Taper's differ.",
    mixinStandardHelpOptions = true,
    footer = "%nExit code 1 if a case failed; unsupported cases are counted, and are no failures.")
final class GoldenCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(
      paramLabel = "PATH",
      arity = "0..1",
      description = "a set (JSON), or a folder of sets; the ones that come with Taper if left out")
  private @Nullable Path path;

  @Option(
      names = "--ops",
      paramLabel = "NAMES",
      description = "PyTorch's names, with commas between; * stands for any text")
  private @Nullable String operators;

  @Option(
      names = "--verbose",
      description = "a line for every operator, and for every case that does not pass")
  private boolean verbose;

  @Override
  public Integer call() {
    var chosen = operators == null ? Golden.everything() : Golden.named(operators);
    var report = path == null ? Golden.runPackaged(chosen) : Golden.run(path, chosen);
    var out = spec.commandLine().getOut();
    report.lines(verbose).forEach(out::println);
    return report.failed() == 0 ? 0 : 1;
  }
}
