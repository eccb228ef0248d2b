package taper.testing.fuzz;

import java.util.ArrayList;
import java.util.List;

/// A value as text: a word such as `3`, `SUM` or `<f32[3 4]>`, or several values in braces.
///
/// Calls are trees, so that they can be drawn, printed, read again and made smaller without knowing what they mean.
sealed interface Tree {

  /// A value without parts.
  record Leaf(String text) implements Tree {
    @Override
    public String toString() {
      return text;
    }
  }

  /// The components of a record, or the elements of an array or a list.
  record Group(List<Tree> parts) implements Tree {
    public Group {
      parts = List.copyOf(parts);
    }

    Group with(int i, Tree part) {
      var changed = new ArrayList<>(parts);
      changed.set(i, part);
      return new Group(changed);
    }

    Group without(int i) {
      var changed = new ArrayList<>(parts);
      changed.remove(i);
      return new Group(changed);
    }

    Group plus(int i, Tree part) {
      var changed = new ArrayList<>(parts);
      changed.add(i, part);
      return new Group(changed);
    }

    @Override
    public String toString() {
      return "{" + line(parts) + "}";
    }
  }

  /// The text of `trees` on one line, which [#parse(String)] reads.
  static String line(List<Tree> trees) {
    return String.join(" ", trees.stream().map(Tree::toString).toList());
  }

  /// The trees that `line` consists of.
  ///
  /// @throws IllegalArgumentException if a brace or bracket is missing
  static List<Tree> parse(String line) {
    var position = new int[] {0};
    List<Tree> result = parts(line, position);
    if (position[0] < line.length()) {
      throw new IllegalArgumentException("a brace too many in the call " + line);
    }
    return result;
  }

  private static List<Tree> parts(String line, int[] position) {
    var result = new ArrayList<Tree>();
    while (position[0] < line.length()) {
      char c = line.charAt(position[0]);
      if (c == ' ') {
        position[0]++;
      } else if (c == '}') {
        return result;
      } else if (c == '{') {
        position[0]++;
        result.add(new Group(parts(line, position)));
        if (position[0] >= line.length()) {
          throw new IllegalArgumentException("a brace is missing in the call " + line);
        }
        position[0]++;
      } else {
        int end = c == '<' ? line.indexOf('>', position[0]) + 1 : endOfWord(line, position[0]);
        if (end == 0) {
          throw new IllegalArgumentException("a > is missing in the call " + line);
        }
        result.add(new Leaf(line.substring(position[0], end)));
        position[0] = end;
      }
    }
    return result;
  }

  private static int endOfWord(String line, int from) {
    int end = from;
    while (end < line.length() && " {}".indexOf(line.charAt(end)) < 0) {
      end++;
    }
    return end;
  }
}
