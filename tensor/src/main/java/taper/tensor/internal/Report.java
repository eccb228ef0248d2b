package taper.tensor.internal;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;

/// Groups what handles hold by the module that was running and the type, largest first.
public final class Report {
  private record Group(String place, DType dtype) {}

  private static final class Sum {
    long bytes;
    int tensors;
    @Nullable Throwable origin;
  }

  private Report() {}

  /// The groups of `all`, under a title.
  public static String of(List<Handle.Held> all, String title) {
    Map<Group, Sum> groups = new HashMap<>();
    Set<Storage> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Handle.Held held : all) {
      String place = held.place();
      var group = new Group(place == null ? "outside modules" : place, held.region().dtype());
      Sum sum = groups.computeIfAbsent(group, g -> new Sum());
      sum.tensors++;
      if (seen.add(held.storage())) {
        sum.bytes += held.storage().byteSize();
      }
      if (sum.origin == null) {
        sum.origin = held.origin();
      }
    }
    var text = new StringBuilder(title).append('\n');
    groups.entrySet().stream()
        .sorted(Comparator.comparingLong(e -> -e.getValue().bytes))
        .forEach(e -> {
          Sum sum = e.getValue();
          text.append(
              "%,15d bytes  %6d tensors  %-8s  %s%n"
                  .formatted(sum.bytes, sum.tensors, e.getKey().dtype(), e.getKey().place()));
          Throwable origin = sum.origin;
          if (origin != null) {
            for (StackTraceElement frame : origin.getStackTrace()) {
              if (!frame.getClassName().startsWith("taper.tensor.")) {
                text.append("                 first made at ").append(frame).append('\n');
                break;
              }
            }
          }
        });
    return text.toString();
  }
}
