package taper.tensor;

import java.util.Arrays;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The name of the method that a user has called, for messages of errors that arise in what it is composed of.
///
/// `x.l1Loss(y)` subtracts, and the subtraction finds that shapes do not fit; but the user knows of no subtraction. So the
/// name before the colon is that of the outermost method of a tensor on the stack. It is looked for when an error is made,
/// and costs nothing before.
final class Called {
  private static final Pattern OPERATOR = Pattern.compile("\\A([a-z]\\w*): ");

  /// Methods that say less than the message: `x.get(…)` speaks of the index.
  private static final Set<String> KEPT = Set.of("get", "set", "of", "into", "backward");

  private static final Set<String> CLASSES =
      Stream.concat(
              Arrays.stream(Tensor.class.getInterfaces()),
              Stream.of(
                  Tensor.class,
                  TensorFactory.class,
                  ProductFactory.class,
                  RandomFactory.class,
                  WindowFactory.class,
                  Linalg.class,
                  Fft.class,
                  Special.class,
                  Masked.class))
          .map(Class::getName)
          .collect(Collectors.toUnmodifiableSet());

  private Called() {}

  /// `message` in the name of the method that was called.
  static String by(String message) {
    Matcher named = OPERATOR.matcher(message);
    if (!named.find() || named.group(1).equals("tensor")) {
      return message;
    }
    String called =
        StackWalker.getInstance()
            .walk(frames ->
                frames
                    .takeWhile(frame -> isOurs(frame.getClassName()))
                    .filter(frame -> CLASSES.contains(frame.getClassName()))
                    .map(StackWalker.StackFrame::getMethodName)
                    .filter(name -> name.indexOf('$') < 0 && !name.startsWith("<"))
                    .filter(name -> !name.equals("whileHeld")) // checks read through it
                    .reduce("", (_, outer) -> outer));
    boolean same = called.equals(named.group(1) + "_");
    return called.isEmpty() || same || KEPT.contains(called)
        ? message
        : called + ": " + message.substring(named.end());
  }

  private static boolean isOurs(String name) {
    return name.startsWith("taper.tensor.")
        || name.startsWith("taper.cpu.")
        || name.startsWith("taper.lapack.")
        || name.startsWith("java.");
  }
}
