package taper.cli;

import java.io.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import taper.serialization.Safetensors;
import taper.tensor.Threads;

/// Trains a convolutional network on handwritten digits.
@Command(
    name = "mnist",
    description = "Trains a convolutional network on the handwritten digits that come with Taper.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
final class TrainMnistCommand implements Callable<Integer> {
  @Option(names = "--epochs", paramLabel = "N", description = "How often to see every digit.")
  private int epochs = 3;

  @Option(
      names = "--steps",
      paramLabel = "N",
      description =
          "Steps in an epoch, to try things out. By default as many as there are digits for.",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER)
  private @Nullable Integer steps;

  @Option(names = "--batch-size", paramLabel = "N", description = "Digits per step.")
  private int batchSize = 64;

  @Option(names = "--lr", paramLabel = "RATE", description = "The learning rate of AdamW.")
  private double lr = 1e-3;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "What all random numbers follow from. The same seed gives the same losses.")
  private long seed = 0;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Threads that prepare batches; 0 prepares them between the steps.")
  private int workers = 1;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that compute. By default one per core.",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER)
  private @Nullable Integer threads;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the weights are saved, as mnist.safetensors.")
  private Path out = Path.of("out");

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Where to write the results as JSON.",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER)
  private @Nullable Path json;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Override
  public Integer call() {
    check("--epochs", epochs, 1);
    check("--batch-size", batchSize, 1);
    if (steps != null) {
      check("--steps", steps, 1);
    }
    check("--workers", workers, 0);
    if (!(lr > 0 && lr < Double.POSITIVE_INFINITY)) {
      throw wrong("--lr must be a positive number, but is " + lr + ".");
    }
    if (threads != null) {
      check("--threads", threads, 1);
      Threads.setNumThreads(threads);
    }
    prepare(out); // a training should not find out at its end that it cannot save
    if (json != null) {
      checkFile(json);
    }
    var printer = spec.commandLine().getOut();
    printer.println(About.machine() + ", " + Threads.numThreads() + " threads");
    var progress = new Progress(printer, isTerminal());
    long most = steps == null ? Long.MAX_VALUE : steps;
    var training = new MnistTraining(epochs, most, batchSize, lr, seed, workers, progress);
    MnistTraining.Result result = training.run();

    Path weights = out.resolve("mnist.safetensors");
    Safetensors.save(training.weights(), Map.of("format", "pt"), weights);
    printer.println("Saved the weights to " + weights + ".");
    if (json != null) {
      result.write(json, seed);
      printer.println("Wrote the results to " + json + ".");
    }
    return 0;
  }

  private void check(String option, int value, int least) {
    if (value < least) {
      throw wrong("%s must be at least %d, but is %d.".formatted(option, least, value));
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private void checkFile(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      throw wrong("--json " + file + " must be a file, but is a folder. Add a name.");
    }
    if (folder == null || !Files.isWritable(folder)) {
      throw wrong(
          "--json %s must lie in a folder that exists and can be written to, but %s %s."
              .formatted(
                  file,
                  folder,
                  folder != null && Files.exists(folder) ? "is read-only" : "does not exist"));
    }
  }

  private static void prepare(Path folder) {
    try {
      Files.createDirectories(folder);
      Path probe = Files.createTempFile(folder, ".taper", null);
      Files.delete(probe);
    } catch (IOException e) {
      throw new UncheckedIOException("--out " + folder + " cannot be written to: " + e, e);
    }
  }

  @SuppressWarnings(
      "SystemConsoleNull") // it may still be null, where the library for terminals is missing
  private static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }
}
