package taper.golden;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import taper.golden.Bindings.Binding;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;

/// Writes the table of PyTorch's names and ours, from the catalogue of operators, the bindings and the packaged sets.
public final class Compatibility {
  private static final String HEAD =
      """
      # PyTorch's names in Taper

      This page is generated: `./taper compatibility > docs/compatibility.md`. The tests fail if it is not up to date.

      * **Taper** is the call as one types it. Options that PyTorch takes by name are overloads, or a lambda over an options record (`o -> o.stride(2)`).
      * **Types** are the element types for which results were compared with PyTorch's: `f` float64 and float32, `h` bfloat16 or float16, `i` whole numbers, `b` truth values, `c` complex numbers.
        Others may work as well.
      * **Gradient**: `✓` compared with PyTorch's, `d` declared (and tested against differences), `–` none, as in PyTorch.
      * **View**: the result shares memory with the operand.
      """;

  private final Bindings bindings;
  private final Map<String, Evidence> evidence = new HashMap<>();
  private final Map<String, Operator<?>> operators = new HashMap<>();

  /// What the sets have shown of an operator.
  private static final class Evidence {
    final Set<String> types = new LinkedHashSet<>();
    boolean gradient;
  }

  private Compatibility(Bindings bindings, Report report) {
    this.bindings = bindings;
    for (Report.Entry entry : report.entries()) {
      if (entry.outcome() instanceof Outcome.Passed && !entry.type().isEmpty()) {
        Evidence of = evidence.computeIfAbsent(entry.operator(), _ -> new Evidence());
        of.types.add(entry.type());
        of.gradient |= entry.gradient();
      }
    }
    for (Operator<?> operator : Catalogue.operators()) {
      for (String schema : operator.torch()) {
        operators.putIfAbsent(torchName(schema), operator);
      }
    }
  }

  /// The page, in Markdown.
  public static String markdown() {
    return new Compatibility(Bindings.all(), Golden.runPackaged(Golden.everything())).page();
  }

  /// `aten::linalg_svd.U(…)` is `linalg_svd`.
  private static String torchName(String schema) {
    return schema.replaceFirst("^aten::", "").replaceFirst("[.(].*", "");
  }

  private String page() {
    var page = new StringBuilder(HEAD);
    Set<String> shown = new LinkedHashSet<>();
    names()
        .forEach((section, names) -> {
          page.append("\n## Used in ").append(section).append("\n\n").append(tableHead());
          for (String name : names) {
            page.append(row(name));
            shown.add(name);
          }
        });
    page.append("\n## Others\n\n").append(tableHead());
    var others = new TreeMap<String, Binding>();
    for (Binding binding : bindings.list()) {
      others.put(binding.name(), binding);
    }
    others.keySet().removeAll(shown);
    others.keySet().forEach(name -> page.append(row(name)));
    Map<String, String> differences = differences();
    if (!differences.isEmpty()) {
      page.append(
          "\n## Known differences\n\nCases of the reference sets that do not pass, and why.\n\n");
      page.append("| PyTorch | difference |\n|---|---|\n");
      differences.forEach((name, why) -> page.append("| `%s` | %s |\n".formatted(name, why)));
    }
    return page.toString();
  }

  private static String tableHead() {
    return "| PyTorch | Taper | types | gradient | view | notes |\n|---|---|---|---|---|---|\n";
  }

  private String row(String name) {
    Binding binding = bindings.find(name);
    if (binding == null) {
      return "| `%s` | – | | | | not there |\n".formatted(name);
    }
    Operator<?> operator = operator(name);
    return "| `%s` | %s | %s | %s | %s | %s |\n"
        .formatted(
            name,
            binding.ours().isEmpty() ? "–" : "`" + binding.ours() + "`",
            types(name),
            gradient(name, operator),
            operator != null && operator.definition() instanceof Definition.View<?> ? "✓" : "",
            binding.note());
  }

  private @Nullable Operator<?> operator(String name) {
    String plain = name.replaceFirst("^(nn\\.functional|Tensor)\\.", "").replace('.', '_');
    return operators.get(plain);
  }

  private String types(String name) {
    Evidence of = evidence.get(bare(name));
    if (of == null) {
      return "";
    }
    var result = new StringBuilder();
    if (of.types.contains("float64") || of.types.contains("float32")) {
      result.append('f');
    }
    if (of.types.contains("bfloat16") || of.types.contains("float16")) {
      result.append('h');
    }
    if (EnumSet.allOf(DType.class).stream()
        .anyMatch(d -> d.isIntegral() && of.types.contains(d.toString()))) {
      result.append('i');
    }
    if (of.types.contains("bool")) {
      result.append('b');
    }
    if (of.types.contains("complex64") || of.types.contains("complex128")) {
      result.append('c');
    }
    return result.toString();
  }

  private String gradient(String name, @Nullable Operator<?> operator) {
    Evidence of = evidence.get(bare(name));
    if (of != null && of.gradient) {
      return "✓";
    }
    return operator == null ? "" : operator.isDifferentiable() ? "d" : "–";
  }

  private String bare(String name) {
    return evidence.containsKey(name) ? name : name.replaceFirst("^Tensor\\.", "");
  }

  /// PyTorch's names, by section.
  static Map<String, List<String>> names() {
    var sections = new LinkedHashMap<String, List<String>>();
    List<String> section = new ArrayList<>();
    for (String line : lines("names.txt")) {
      if (line.startsWith("[")) {
        section = new ArrayList<>();
        sections.put(line.substring(1, line.length() - 1), section);
      } else {
        section.add(line);
      }
    }
    return sections;
  }

  /// Why cases of the reference sets do not pass, by PyTorch's name.
  static Map<String, String> differences() {
    var differences = new TreeMap<String, String>();
    for (String line : lines("differences.txt")) {
      String[] parts = line.split("\\|", 2);
      differences.put(parts[0].strip(), parts[1].strip());
    }
    return differences;
  }

  private static List<String> lines(String resource) {
    try (var reader =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(Compatibility.class.getResourceAsStream(resource)),
                StandardCharsets.UTF_8))) {
      return reader
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .collect(Collectors.toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
