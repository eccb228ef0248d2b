package taper.testing.fuzz;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import taper.tensor.Catalogue;
import taper.tensor.Memory;
import taper.tensor.Operator;
import taper.tensor.Tensor;

/// The process that makes calls, and may die of one. It reads commands, a line each, and writes what it does before it does it.
///
/// `draw SEED FROM TO` draws calls and makes them, `make CALL` makes one, `simpler CALL` prints simpler ones. Each call answers `MADE CALL`
/// before it is made, then `DONE` and what is wrong with it, if anything is.
final class Worker {
  private static final String ONLY = System.getProperty("taper.fuzz.only", "");

  private final Map<String, Operator<?>> operators = new LinkedHashMap<>();
  private final PrintStream out;
  private final OperatorCalls calls;
  private final MethodCalls methods;
  private final Surface surface;
  private final Watchdog watchdog;

  private Worker(PrintStream out, String[] holders) throws ReflectiveOperationException {
    this.out = out;
    if (List.of(holders).contains(Tensor.class.getName())) {
      Catalogue.operators().forEach(op -> operators.put(op.name(), op));
    }
    var classes = new ArrayList<Class<?>>();
    for (Class<?> type : ClassNames.classes(holders)) {
      classes.add(type);
      for (Field field : type.getDeclaredFields()) {
        field.setAccessible(true);
        if (Modifier.isStatic(field.getModifiers()) && field.get(null) instanceof Operator<?> op) {
          operators.put(op.name(), op);
        }
      }
    }
    surface = new Surface(classes);
    methods = new MethodCalls(surface, operators);
    String chosen = System.getProperty("taper.operators", ".*");
    calls =
        new OperatorCalls(
            operators.values().stream().filter(op -> op.name().matches(chosen)).toList());
    watchdog = new Watchdog(out, Thread.currentThread());
  }

  /// Serves commands until there are none.
  ///
  /// @param holders classes whose methods, constructors and operators are called; all operators if [Tensor] is among them
  public static void main(String... holders) throws IOException, ReflectiveOperationException {
    var out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    System.setOut(System.err);
    String guard = System.getProperty("taper.fuzz.guard", "none");
    if (!guard.equals("none")) {
      new GuardedMemory(guard.equals("after"), Memory.limit()).install();
    }
    var worker = new Worker(out, holders);
    out.println("READY");
    out.flush();
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        worker.serve(line);
      }
    }
    System.exit(0);
  }

  private void serve(String line) {
    int space = line.indexOf(' ');
    String rest = line.substring(space + 1);
    switch (line.substring(0, space)) {
      case "draw" -> {
        String[] words = rest.split(" ");
        long seed = Long.parseLong(words[0]);
        for (long i = Long.parseLong(words[1]); i < Long.parseLong(words[2]); i++) {
          var random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + i);
          boolean method =
              calls.isEmpty()
                  || ONLY.equals("methods")
                  || i % 2 == 0 && !methods.isEmpty() && !ONLY.equals("operators");
          make(method ? methods.draw(random) : calls.draw(random));
        }
      }
      case "make" -> make(parsed(rest));
      case "simpler" -> parsed(rest).simpler().forEach(call -> out.println(call));
      default -> throw new IllegalArgumentException("no command: " + line);
    }
    out.println("END");
    out.flush();
  }

  private FuzzCall parsed(String line) {
    return MethodCall.matches(line)
        ? MethodCall.parse(line, surface)
        : OperatorCall.parse(line, operators);
  }

  private void make(FuzzCall call) {
    out.println("MADE " + call);
    out.flush();
    watchdog.begin(call.largest());
    String verdict = Judge.judge(call);
    watchdog.end();
    if (verdict.isEmpty() && call instanceof MethodCall method) {
      methods.succeeded(method);
    }
    out.println("DONE " + verdict.replace('\n', ' '));
  }
}
