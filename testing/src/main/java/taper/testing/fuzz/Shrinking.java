package taper.testing.fuzz;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Simpler forms of the parts of a call.
final class Shrinking {
  private Shrinking() {}

  /// `tree` with one part brought back to that of `usual`.
  static List<Tree> trees(Tree tree, Tree usual) {
    if (tree.equals(usual)) {
      return List.of();
    }
    if (tree instanceof Tree.Group group
        && usual instanceof Tree.Group other
        && group.parts().size() == other.parts().size()) {
      var result = new ArrayList<Tree>();
      for (int i = 0; i < group.parts().size(); i++) {
        for (Tree part : trees(group.parts().get(i), other.parts().get(i))) {
          result.add(group.with(i, part));
        }
      }
      return result;
    }
    return List.of(usual);
  }

  /// Simpler forms of an argument: without an element, or with a smaller number or tensor.
  static List<Tree> tree(Tree tree) {
    var result = new ArrayList<Tree>();
    switch (tree) {
      case Tree.Group group -> {
        for (int i = 0; i < group.parts().size(); i++) {
          if (!group.parts().get(i).toString().contains("(")) { // the name of an option stays
            result.add(group.without(i));
          }
          for (Tree part : tree(group.parts().get(i))) {
            result.add(group.with(i, part));
          }
        }
      }
      case Tree.Leaf leaf when leaf.text().startsWith("<") ->
          operands(Operand.parse(leaf.text().substring(1, leaf.text().length() - 1)))
              .forEach(operand -> result.add(new Tree.Leaf("<" + operand + ">")));
      case Tree.Leaf leaf when leaf.text().matches("[2-9]|\\d\\d+") ->
          result.add(new Tree.Leaf("1"));
      case Tree.Leaf _ -> {}
    }
    return result;
  }

  /// Simpler operands in the place of `operand`.
  static List<Operand> operands(Operand operand) {
    if (!(operand instanceof Operand.Region region)) {
      return List.of();
    }
    var result = new ArrayList<Operand>();
    if (region.strides() != null && region.of() < 0) {
      result.add(region.withLayout(null, 0));
    }
    if (region.offset() != 0) {
      result.add(region.withLayout(region.strides(), 0));
    }
    if (region.of() < 0 && !region.dtype().equals("f32")) {
      result.add(region.withType("f32"));
    }
    if (!region.values().isEmpty()) {
      result.add(region.withValues(""));
    }
    List<Long> sizes = region.sizes();
    for (int d = 0; d < sizes.size(); d++) {
      if (sizes.get(d) > 1) {
        result.add(region.withSizes(with(sizes, d, 1)));
        result.add(region.withSizes(with(sizes, d, sizes.get(d) / 2)));
        if (sizes.get(d) < 64) {
          result.add(region.withSizes(with(sizes, d, sizes.get(d) - 1)));
        }
      }
    }
    for (int d = 0; d < sizes.size(); d++) {
      var fewer = new ArrayList<>(sizes);
      fewer.remove(d);
      result.add(region.withLayout(null, 0).withSizes(fewer));
    }
    return Collections.unmodifiableList(result);
  }

  private static List<Long> with(List<Long> sizes, int d, long size) {
    var changed = new ArrayList<>(sizes);
    changed.set(d, size);
    return changed;
  }
}
