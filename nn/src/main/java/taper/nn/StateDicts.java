package taper.nn;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import taper.tensor.Autograd;
import taper.tensor.StateDictException;
import taper.tensor.Tensor;

/// Compares a state dict with a module, and copies it into the module.
final class StateDicts {
  private static final int ROWS = 40;

  private StateDicts() {}

  private record Row(String key, String module, String stateDict) {}

  static IncompatibleKeys load(
      Module module, Map<String, ? extends Tensor> source, boolean strict) {
    Map<String, Tensor> target = module.stateDict();
    Sizes.given(module.typeName(), "the state dict", source);
    var missing = new ArrayList<String>();
    var unexpected = new ArrayList<String>();
    var misshapen = new ArrayList<String>();
    target.forEach((key, own) -> {
      Tensor other = source.get(key);
      if (other == null) {
        missing.add(key);
      } else {
        var _ = other.strided(); // nothing may be copied before one is found to be released
        if (!other.shape().equals(own.shape())) {
          misshapen.add(key);
        }
      }
    });
    source.keySet().stream().filter(key -> !target.containsKey(key)).forEach(unexpected::add);
    if (!misshapen.isEmpty() || strict && !(missing.isEmpty() && unexpected.isEmpty())) {
      throw new StateDictException(
          message(module, target, source, missing, unexpected, misshapen, strict));
    }
    Autograd.noGrad(() ->
        target.forEach((key, own) -> {
          Tensor other = source.get(key);
          if (other != null) {
            own.copy_(other);
          }
        }));
    return new IncompatibleKeys(missing, unexpected);
  }

  private static String message(
      Module module,
      Map<String, Tensor> target,
      Map<String, ? extends Tensor> source,
      List<String> missing,
      List<String> unexpected,
      List<String> misshapen,
      boolean strict) {
    var rows = new ArrayList<Row>();
    target.forEach((key, own) -> {
      Tensor other = source.get(key);
      if (other == null && strict) {
        rows.add(new Row(key, own.shape().toString(), "missing"));
      } else if (other != null && !other.shape().equals(own.shape())) {
        rows.add(new Row(key, own.shape().toString(), other.shape().toString()));
      }
    });
    if (strict) {
      for (String key : unexpected) {
        Tensor other = source.get(key);
        rows.add(new Row(key, "missing", other == null ? "missing" : other.shape().toString()));
      }
    }
    var text = new StringBuilder(module.typeName());
    text.append(": the state dict must have the module's ")
        .append(strict ? "keys and shapes" : "shapes")
        .append(", but ")
        .append(
            counts(strict ? missing.size() : 0, strict ? unexpected.size() : 0, misshapen.size()))
        .append('.');
    append(text, rows);
    text.append(
        misshapen.isEmpty()
            ? "\nPass strict = false to leave missing keys as they are and to ignore unexpected ones."
            : "\nBuild the module with the sizes that the state dict was saved with, or leave these keys out of it.");
    return text.toString();
  }

  private static String counts(int missing, int unexpected, int misshapen) {
    var parts = new ArrayList<String>();
    if (missing > 0) {
      parts.add(missing == 1 ? "1 key is missing" : missing + " keys are missing");
    }
    if (unexpected > 0) {
      parts.add(unexpected == 1 ? "1 key is unexpected" : unexpected + " keys are unexpected");
    }
    if (misshapen > 0) {
      parts.add(misshapen == 1 ? "1 key has another shape" : misshapen + " keys have other shapes");
    }
    String last = parts.removeLast();
    return parts.isEmpty() ? last : String.join(", ", parts) + " and " + last;
  }

  private static void append(StringBuilder text, List<Row> rows) {
    int key = Math.max(3, rows.stream().mapToInt(r -> r.key().length()).max().orElse(0));
    int module = Math.max(6, rows.stream().mapToInt(r -> r.module().length()).max().orElse(0));
    String format = "\n  %-" + key + "s  %-" + module + "s  %s";
    text.append(format.formatted("key", "module", "state dict"));
    rows.stream()
        .limit(ROWS)
        .forEach(r -> text.append(format.formatted(r.key(), r.module(), r.stateDict())));
    if (rows.size() > ROWS) {
      text.append("\n  … and ").append(rows.size() - ROWS).append(" more");
    }
  }
}
