package taper.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import taper.golden.Compatibility;

/// Writes the table of PyTorch's names and ours.
@Command(
    name = "compatibility",
    description = "Prints the table of PyTorch's names and Taper's, in Markdown.",
    mixinStandardHelpOptions = true)
final class CompatibilityCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(Compatibility.markdown());
    spec.commandLine().getOut().flush();
    return 0;
  }
}
