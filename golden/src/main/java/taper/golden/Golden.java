package taper.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import taper.tensor.ArgumentException;
import taper.tensor.Memory;
import tools.jackson.databind.JsonNode;

/// Runs sets of cases: calls whose results PyTorch has written down.
public final class Golden {
  private static final List<String> PACKAGED =
      List.of(
          "float64",
          "float32",
          "integer",
          "complex",
          "lowprec",
          "special",
          "errors",
          "promotion",
          "inference");

  private Golden() {}

  /// Runs a set, or all sets in a folder.
  ///
  /// @param path a JSON file, or a folder
  /// @param operators which of PyTorch's names to run
  /// @throws ArgumentException if there is no set in `path`
  public static Report run(Path path, Predicate<String> operators) {
    var report = new Report();
    var bindings = Bindings.all();
    var files = files(path);
    int sets = 0;
    for (Path file : files) {
      GoldenSet set = GoldenSet.read(file);
      if (set != null) {
        sets++;
        run(set, bindings, operators, report);
      }
    }
    if (sets == 0) {
      throw new ArgumentException(
          "golden: %s must be or hold a set of cases (a JSON file with \"cases\"), but is or has none."
              .formatted(path));
    }
    return report;
  }

  /// Runs the sets that come with Taper: a selection of cases for every operator.
  ///
  /// @param operators which of PyTorch's names to run
  public static Report runPackaged(Predicate<String> operators) {
    var report = new Report();
    var bindings = Bindings.all();
    for (String name : PACKAGED) {
      GoldenSet set =
          GoldenSet.read(
              name + ".json.gz", file -> Golden.class.getResourceAsStream("sets/" + file));
      run(Objects.requireNonNull(set), bindings, operators, report);
    }
    return report;
  }

  /// All operators.
  public static Predicate<String> everything() {
    return _ -> true;
  }

  /// The operators named in a list such as `sum,nn.functional.*`, where `*` stands for any text.
  public static Predicate<String> named(String list) {
    String pattern =
        Stream.of(list.split(","))
            .map(name ->
                Stream.of(name.strip().split("\\*", -1))
                    .map(Pattern::quote)
                    .collect(Collectors.joining(".*")))
            .collect(Collectors.joining("|"));
    return Pattern.compile(pattern).asMatchPredicate();
  }

  private static List<Path> files(Path path) {
    if (!Files.isDirectory(path)) {
      if (!Files.exists(path)) {
        throw new ArgumentException(
            "golden: the set must exist, but there is no %s.".formatted(path));
      }
      return List.of(path);
    }
    try (var walk = Files.walk(path)) {
      return walk.filter(f -> f.toString().matches(".*\\.json(\\.gz)?")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(
      GoldenSet set, Bindings bindings, Predicate<String> operators, Report report) {
    var operatorCases = new OperatorCases(bindings);
    var promotionCases = new PromotionCases(bindings, set.head());
    for (JsonNode node : set.cases()) {
      String id = node.path("id").asString("");
      String operator = operator(set, node, id);
      if (!operators.test(operator)) {
        continue;
      }
      try (var _ = Memory.scope()) {
        Outcome outcome =
            switch (set.kind()) {
              case "opinfo" -> operatorCases.run(node, set.tensors());
              case "promotion" -> promotionCases.run(node);
              default -> new Outcome.Unsupported("sets of kind " + set.kind() + " are not run yet");
            };
        report.add(
            new Report.Entry(
                set.name(),
                operator,
                id,
                node.path("dtype").asString(""),
                node.has("grads"),
                outcome));
      }
    }
  }

  private static String operator(GoldenSet set, JsonNode node, String id) {
    if (node.has("op")) {
      return node.get("op").asString();
    }
    String[] parts = id.split("/");
    boolean nested = set.kind().equals("promotion") && id.matches("(unary|reduce|factory)/.*");
    return nested ? parts[0] + "/" + parts[1] : parts[0];
  }
}
