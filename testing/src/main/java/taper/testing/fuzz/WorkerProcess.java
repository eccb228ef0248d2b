package taper.testing.fuzz;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A [Worker], started again whenever it dies.
final class WorkerProcess implements AutoCloseable {

  /// What became of a call.
  ///
  /// @param call the call
  /// @param verdict what is wrong, or empty
  record Answer(String call, String verdict) {
    boolean isFault() {
      return verdict.startsWith("FAULT");
    }

    boolean hangs() {
      return verdict.startsWith("FAULT hangs");
    }

    /// What two findings of one cause have in common: the place of an exception, else the operator or method.
    String kind() {
      if (hangs()) {
        return call.replaceAll("[ (].*", "") + " hangs";
      }
      int at = verdict.indexOf(" at ");
      int end = verdict.indexOf(" at ", at + 4);
      String where =
          at >= 0
              ? verdict.substring(at, end < 0 ? verdict.length() : end)
              : call.replaceAll("[ (].*", "");
      return where
          + verdict.replaceAll("(?s)[:(\\[].*|-?\\d[\\d.E-]*|NaN|-?Infinity|'.*'| at .*", "");
    }
  }

  /// A frame of our own in the report of a crash.
  private static final Pattern FRAME =
      Pattern.compile("^[jJ]\\s.*?taper\\.(?:\\w+\\.)*([A-Z][\\w$]*\\.[\\w$]+)");

  private static final long SILENCE = 45_000_000_000L;

  private final List<String> command;
  private volatile @Nullable Process process;
  private volatile long silentSince;
  private volatile boolean serving;
  private @Nullable BufferedReader in;
  private @Nullable PrintStream out;

  /// @param flags of the virtual machine
  /// @param holders the classes that declare operators
  WorkerProcess(List<String> flags, List<String> holders) {
    var words = new ArrayList<String>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(
        List.of(
            "-Xmx512m",
            "-Xss1m",
            "-XX:+UseSerialGC",
            "-ea:taper...",
            "-XX:-CreateCoredumpOnCrash"));
    words.addAll(List.of("-XX:+ErrorFileToStdout", "--enable-native-access=ALL-UNNAMED"));
    words.addAll(
        List.of(
            "-Dtaper.memory.canary=true",
            "-Dtaper.memory.poison=true",
            "-Dtaper.memory.limit=300m"));
    words.addAll(flags);
    words.addAll(List.of("-cp", classPath(), Worker.class.getName()));
    words.addAll(holders);
    command = List.copyOf(words);
  }

  /// The class path, with the modules that this program was started with.
  private static String classPath() {
    String modules = System.getProperty("jdk.module.path", "");
    Stream<String> jars =
        Stream.of(modules.split(File.pathSeparator))
            .filter(part -> !part.isEmpty())
            .flatMap(part -> {
              File[] files = new File(part).listFiles((_, name) -> name.endsWith(".jar"));
              return files == null || files.length == 0
                  ? Stream.of(part)
                  : Stream.of(files).map(File::getPath);
            });
    return String.join(
        File.pathSeparator,
        Stream.concat(Stream.of(System.getProperty("java.class.path", "")), jars)
            .filter(part -> !part.isEmpty())
            .toList());
  }

  private BufferedReader started() throws IOException {
    BufferedReader reader = in;
    if (reader != null) {
      return reader;
    }
    Process fresh =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    reader =
        new BufferedReader(new InputStreamReader(fresh.getInputStream(), StandardCharsets.UTF_8));
    process = fresh;
    Thread.ofPlatform().daemon().name("watch of the worker").start(() -> watch(fresh));
    out = new PrintStream(fresh.getOutputStream(), true, StandardCharsets.UTF_8);
    in = reader;
    String line = reader.readLine();
    while (line != null && !line.equals("READY")) {
      line = reader.readLine();
    }
    if (line == null) {
      throw new IOException("the worker does not start: " + String.join(" ", command));
    }
    return reader;
  }

  /// Ends a process that does not answer for so long that its own watchdog must be stuck, too: in machine code that never lets
  /// other threads look.
  private void watch(Process watched) {
    while (watched.isAlive() && process == watched) {
      try {
        watched.waitFor(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        return;
      }
      if (serving && System.nanoTime() - silentSince > SILENCE) {
        watched.destroyForcibly();
      }
    }
  }

  /// Has the worker serve `command`; what it answers for each call goes to `answers`. A call that it dies of is answered, and
  /// ends the command.
  ///
  /// @return the other lines that it prints
  List<String> serve(String line, Consumer<Answer> answers) throws IOException {
    BufferedReader reader = started();
    Objects.requireNonNull(out).println(line);
    var others = new ArrayList<String>();
    String call = "";
    boolean open = false;
    silentSince = System.nanoTime();
    serving = true;
    for (String answer = reader.readLine(); answer != null; answer = reader.readLine()) {
      silentSince = System.nanoTime();
      if (answer.equals("END")) {
        serving = false;
        return others;
      } else if (answer.startsWith("MADE ")) {
        call = answer.substring(5);
        open = true;
      } else if (answer.startsWith("DONE")) {
        answers.accept(new Answer(call, answer.substring(4).strip()));
        open = false;
      } else {
        others.add(answer);
      }
    }
    serving = false;
    String end = ended(others);
    if (open) {
      answers.accept(new Answer(call, "FAULT " + end));
    }
    return others;
  }

  private String ended(List<String> printed) {
    Process dead = Objects.requireNonNull(process);
    if (System.nanoTime() - silentSince > SILENCE) {
      close();
      return "hangs where no thread can be looked at";
    }
    close();
    String signal =
        printed.stream()
            .map(line -> line.replaceAll("#\\s+(SIG\\w+|Internal Error).*", "$1"))
            .filter(line -> line.matches("SIG\\w+|Internal Error"))
            .findFirst()
            .orElse("");
    String place =
        printed.stream()
            .map(FRAME::matcher)
            .filter(Matcher::find)
            .map(m -> " at " + m.group(1))
            .limit(3)
            .collect(Collectors.joining());
    return "the process ends with " + dead.exitValue() + " " + signal + place;
  }

  @Override
  public void close() {
    Process old = process;
    process = null;
    in = null;
    if (old != null) {
      try {
        old.destroyForcibly().waitFor();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
