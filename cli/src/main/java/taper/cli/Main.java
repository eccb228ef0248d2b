package taper.cli;

import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import taper.tensor.TaperException;

/// The `taper` command.
///
/// Exit codes: 0 when all went well, 1 when the work failed, 2 when the command was not understood.
@Command(
    name = "taper",
    description = "Deep learning on the JVM.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {
      TrainCommand.class,
      FuzzCommand.class,
      GoldenCommand.class,
      CompatibilityCommand.class,
      InfoCommand.class,
      HelpCommand.class
    },
    footerHeading = "%nThe launcher itself knows three more:%n",
    footer = {
      "  run FILE.java [arguments]   runs a program in a single file, with Taper on its path",
      "  shell                       opens JShell with Taper's imports made",
      "  test [--slow]               runs all checks of the project"
    })
public final class Main {

  private Main() {}

  /// Runs the command and ends the process with its exit code.
  public static void main(String[] arguments) {
    System.exit(run(arguments, writer(System.out), writer(System.err)));
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, stream.charset()), true);
  }

  /// Runs the command and returns its exit code.
  static int run(String[] arguments, PrintWriter out, PrintWriter err) {
    return new CommandLine(new Main())
        .setOut(out)
        .setErr(err)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(Main::explain)
        .execute(arguments);
  }

  /// What users do wrong is told in a sentence; what we do wrong, with the stack.
  private static int explain(
      Exception problem, CommandLine command, CommandLine.ParseResult parsed) {
    if (problem instanceof ParameterException wrong) {
      command.getErr().println(wrong.getMessage());
      return command.getCommandSpec().exitCodeOnInvalidInput();
    }
    if (problem instanceof TaperException || problem instanceof UncheckedIOException) {
      command.getErr().println("taper: " + problem.getMessage());
    } else {
      problem.printStackTrace(command.getErr());
    }
    return command.getCommandSpec().exitCodeOnExecutionException();
  }

  /// Tells the version.
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"taper " + About.version(), About.machine()};
    }
  }
}
