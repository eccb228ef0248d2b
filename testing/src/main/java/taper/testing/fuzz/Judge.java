package taper.testing.fuzz;

import java.util.Locale;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.MemoryLimitException;
import taper.testing.Tolerance;

/// Says whether what a call came to is right: against the reference kernels, and against what programs must never see.
final class Judge {
  private Judge() {}

  /// What is wrong, such as `NullPointerException at …`, or an empty text; `REFUSED` and the message for a refusal.
  static String judge(FuzzCall call) {
    Outcome actual = Outcome.of(call);
    if (actual instanceof Outcome.Broken broken
        && broken.why() instanceof NullPointerException
        && call.passesNull()) {
      return "REFUSED NullPointerException";
    }
    if (actual instanceof Outcome.Broken broken) {
      return "FAULT " + shown(broken.why());
    }
    if (actual instanceof Outcome.Refused refused && unreadable(refused.message())) {
      return "FAULT message '" + refused.message() + "'";
    }
    if (actual instanceof Outcome.Refused refused
        && refused.why() instanceof MemoryLimitException) {
      return "REFUSED " + firstLine(refused.message());
    }
    Outcome expected = Catalogue.withReferenceKernels(() -> Outcome.of(call));
    return switch (expected) {
      case Outcome.Broken broken -> "FAULT reference " + shown(broken.why());
      case Outcome.Refused refused when actual instanceof Outcome.Returned ->
          refused.why() instanceof MemoryLimitException
              ? ""
              : "FAULT only the reference refuses: " + firstLine(refused.message());
      case Outcome.Returned right when actual instanceof Outcome.Returned returned ->
          call.isLoose() ? "" : compared(returned, right, call.isExtreme());
      case Outcome.Returned _ when actual instanceof Outcome.Refused refused ->
          "FAULT only the kernel refuses: " + firstLine(refused.message());
      case Outcome.Refused _, Outcome.Returned _ ->
          actual instanceof Outcome.Refused refused
              ? "REFUSED " + firstLine(refused.message())
              : "";
    };
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse("");
  }

  private static boolean unreadable(String message) {
    return !message.matches("(?s)[\\w. ()\\[\\]-]+: .{10,}")
        || message.toLowerCase(Locale.ROOT).contains("/ by zero");
  }

  /// The failure and where it happened.
  private static String shown(Throwable why) {
    var text = new StringBuilder(why.getClass().getSimpleName());
    String message = why.getMessage();
    if (message != null) {
      text.append(": ").append(firstLine(message));
    }
    int frames = 0;
    for (StackTraceElement frame : why.getStackTrace()) {
      if (frame.getClassName().startsWith("taper.") && frames++ < 3) {
        text.append(" at ")
            .append(frame.getClassName().replaceAll(".*\\.", ""))
            .append('.')
            .append(frame.getMethodName())
            .append(':')
            .append(frame.getLineNumber());
      }
    }
    return text.toString().replace('\n', ' ');
  }

  private static String compared(
      Outcome.Returned actual, Outcome.Returned expected, boolean extreme) {
    if (actual.values().size() != expected.values().size()) {
      return "FAULT " + actual.values().size() + " results, expected " + expected.values().size();
    }
    for (int o = 0; o < actual.values().size(); o++) {
      Outcome.Values a = actual.values().get(o);
      Outcome.Values e = expected.values().get(o);
      if (!a.kind().equals(e.kind())) {
        return "FAULT result " + o + " is " + a.kind() + ", expected " + e.kind();
      }
      double[] left = a.elements();
      double[] right = e.elements();
      if (left != null && right != null && !(extreme && a.dtype().isDifferentiable())) {
        int first = difference(a.dtype(), left, right);
        if (first >= 0) {
          return "FAULT value "
              + first
              + " of result "
              + o
              + " is "
              + left[first]
              + ", expected "
              + right[first];
        }
      }
    }
    return "";
  }

  private static int difference(DType dtype, double[] actual, double[] expected) {
    double largest = 1;
    for (double value : expected) {
      if (Double.isFinite(value)) {
        largest = Math.max(largest, Math.abs(value));
      }
    }
    Tolerance table = Tolerance.of(dtype);
    var tolerance = new Tolerance(table.relative(), table.absolute() * largest);
    for (int i = 0; i < actual.length; i++) {
      boolean overflow = !Double.isFinite(actual[i]) && !(Math.abs(expected[i]) < 1e4);
      if (!overflow && !tolerance.accepts(actual[i], expected[i])) {
        return i;
      }
    }
    return -1;
  }
}
