package taper.benchmarks.work;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How a side is to measure.
///
/// @param threads how many threads may compute
/// @param batch the number of examples in a step, or 0 for the usual one
/// @param width the width of the network, or 0 for the usual one
/// @param steps how many steps are measured after `warmUp` others, or 0 to let `seconds` decide
/// @param warmUp how many steps go unmeasured, if `steps` is given
/// @param seconds how long each workload is measured at least
/// @param data the folder with the MNIST files, or null for random images
/// @param names the workloads, in order
public record Setting(
    int threads,
    int batch,
    int width,
    int steps,
    int warmUp,
    double seconds,
    @Nullable Path data,
    List<String> names) {

  /// Copies the list.
  public Setting {
    names = List.copyOf(names);
  }

  /// Reads `--threads N --batch N --width N --steps N --warm-up N --seconds S --data FOLDER NAME…`, all optional.
  ///
  /// @throws IllegalArgumentException if there is any other option, or one lacks its value
  public static Setting of(String... arguments) {
    Setting setting = new Setting(2, 0, 0, 0, 0, 0, null, List.of());
    List<String> names = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      String word = arguments[i];
      if (word.startsWith("--")) {
        if (++i == arguments.length) {
          throw new IllegalArgumentException("%s: a value must follow.".formatted(word));
        }
        setting = setting.with(word, arguments[i]);
      } else {
        names.add(word);
      }
    }
    return setting.named(names);
  }

  private Setting with(String option, String value) {
    return switch (option) {
      case "--threads" ->
          new Setting(number(value), batch, width, steps, warmUp, seconds, data, names);
      case "--batch" ->
          new Setting(threads, number(value), width, steps, warmUp, seconds, data, names);
      case "--width" ->
          new Setting(threads, batch, number(value), steps, warmUp, seconds, data, names);
      case "--steps" ->
          new Setting(threads, batch, width, number(value), warmUp, seconds, data, names);
      case "--warm-up" ->
          new Setting(threads, batch, width, steps, number(value), seconds, data, names);
      case "--seconds" ->
          new Setting(threads, batch, width, steps, warmUp, Double.parseDouble(value), data, names);
      case "--data" ->
          new Setting(threads, batch, width, steps, warmUp, seconds, Path.of(value), names);
      default -> throw new IllegalArgumentException("There is no option %s.".formatted(option));
    };
  }

  private static int number(String value) {
    return Integer.parseInt(value);
  }

  /// The same for other workloads.
  public Setting named(List<String> names) {
    return new Setting(threads, batch, width, steps, warmUp, seconds, data, names);
  }

  /// The same for another number of threads.
  public Setting threads(int threads) {
    return new Setting(threads, batch, width, steps, warmUp, seconds, data, names);
  }

  /// The batch size asked for, or the usual one.
  public int batchOr(int usual) {
    return batch == 0 ? usual : batch;
  }

  /// The width asked for, or the usual one.
  public int widthOr(int usual) {
    return width == 0 ? usual : width;
  }

  /// The words that [#of(String...)] reads as this.
  public List<String> words() {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("--threads", "" + threads, "--batch", "" + batch, "--width", "" + width));
    words.addAll(
        List.of("--steps", "" + steps, "--warm-up", "" + warmUp, "--seconds", "" + seconds));
    if (data != null) {
      words.addAll(List.of("--data", data.toString()));
    }
    words.addAll(names);
    return words;
  }
}
