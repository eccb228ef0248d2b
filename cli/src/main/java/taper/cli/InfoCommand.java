package taper.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import taper.tensor.Memory;
import taper.tensor.Threads;

/// Tells what Taper would compute on.
@Command(
    name = "info",
    description = "Tells the machine, the kernels in use, the threads and the memory limit.",
    mixinStandardHelpOptions = true)
final class InfoCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Override
  public Integer call() {
    var out = spec.commandLine().getOut();
    out.println("taper " + About.version());
    out.println("machine       " + About.machine());
    out.println("kernels       " + String.join(", ", Threads.kernelLibraries()) + ", reference");
    out.println("threads       " + Threads.numThreads());
    out.println("memory limit  %,d bytes".formatted(Memory.limit()));
    return 0;
  }
}
