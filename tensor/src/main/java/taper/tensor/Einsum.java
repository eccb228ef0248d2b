package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import taper.tensor.spi.CheckedSizes;

/// Sums of products, written with letters for dimensions.
///
/// All operands are brought to one order of dimensions: those of the result, then those that are summed. Two are contracted
/// at a time, the pair first whose product costs least; each contraction is a batch of matrix products, whose rows are the
/// dimensions that only the left one has, whose columns those that only the right one has, and whose inner dimension those
/// that no other operand needs.
///
/// Source: Smith, Gray 2018, opt_einsum - A Python package for optimizing contraction order
final class Einsum {
  private static final int ELLIPSIS = -1;

  private final String equation;
  private final List<Tensor> operands;
  private final List<List<Integer>> inputs = new ArrayList<>();
  private final List<Integer> output;
  private int ellipsisRank;

  private Einsum(String equation, List<Tensor> operands) {
    this.equation = equation;
    this.operands = operands;
    if (operands.isEmpty()) {
      throw new ArgumentException("einsum: there must be at least one operand, but there is none.");
    }
    String text = equation.replace(" ", "");
    int arrow = text.indexOf("->");
    String[] parts = (arrow < 0 ? text : text.substring(0, arrow)).split(",", -1);
    if (parts.length != operands.size()) {
      throw new ArgumentException(
          "einsum: there must be as many operands as subscripts, but '%s' has %d and there are %d operands."
              .formatted(equation, parts.length, operands.size()));
    }
    for (int i = 0; i < parts.length; i++) {
      inputs.add(labels(parts[i]));
      countEllipsis(i);
    }
    this.output = arrow < 0 ? usualOutput() : labels(text.substring(arrow + 2));
    checkOutput();
  }

  static Tensor of(String equation, List<Tensor> operands) {
    return new Einsum(equation, operands).contract();
  }

  private List<Integer> labels(String part) {
    var result = new ArrayList<Integer>();
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (part.startsWith("...", i) && !result.contains(ELLIPSIS)) {
        result.add(ELLIPSIS);
        i += 2;
      } else if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
        result.add((int) c);
      } else {
        throw new ArgumentException(
            "einsum: subscripts must be letters and one ellipsis for each operand, but '%s' has '%s'."
                .formatted(equation, c));
      }
    }
    return result;
  }

  private void countEllipsis(int operand) {
    List<Integer> labels = inputs.get(operand);
    boolean ellipsis = labels.contains(ELLIPSIS);
    int rank = operands.get(operand).dim();
    int named = labels.size() - (ellipsis ? 1 : 0);
    if (ellipsis ? named > rank : named != rank) {
      throw new ShapeException(
          "einsum: every dimension must have a subscript, but operand %d has shape %s and '%s' names %d."
              .formatted(operand, operands.get(operand).shape(), equation, named));
    }
    if (ellipsis) {
      ellipsisRank = Math.max(ellipsisRank, rank - named);
    }
  }

  /// The ellipsis, then the letters that appear once, in alphabetical order.
  private List<Integer> usualOutput() {
    int[] counts = new int[128];
    boolean ellipsis = false;
    for (List<Integer> labels : inputs) {
      for (int label : labels) {
        if (label == ELLIPSIS) {
          ellipsis = true;
        } else {
          counts[label]++;
        }
      }
    }
    var result = new ArrayList<Integer>();
    if (ellipsis) {
      result.add(ELLIPSIS);
    }
    for (int c = 0; c < counts.length; c++) {
      if (counts[c] == 1) {
        result.add(c);
      }
    }
    return result;
  }

  private void checkOutput() {
    for (int i = 0; i < output.size(); i++) {
      int label = output.get(i);
      if (output.indexOf(label) != i) {
        throw new ArgumentException(
            "einsum: subscripts of the result must be different, but '%s' appears twice in '%s'."
                .formatted((char) label, equation));
      }
      if (label != ELLIPSIS && inputs.stream().noneMatch(labels -> labels.contains(label))) {
        throw new ArgumentException(
            "einsum: subscripts of the result must appear in an operand, but '%s' does not in '%s'."
                .formatted((char) label, equation));
      }
    }
  }

  private Tensor contract() {
    int[] place = new int[128];
    Arrays.fill(place, -1);
    int rank = 0;
    int ellipsisAt = -1;
    for (int label : output) {
      if (label == ELLIPSIS) {
        ellipsisAt = rank;
        rank += ellipsisRank;
      } else {
        place[label] = rank++;
      }
    }
    int kept = rank;
    if (ellipsisAt < 0) {
      ellipsisAt = rank;
      rank += ellipsisRank;
    }
    for (List<Integer> labels : inputs) {
      for (int label : labels) {
        if (label != ELLIPSIS && place[label] < 0) {
          place[label] = rank++;
        }
      }
    }
    var rest = new ArrayList<Tensor>();
    for (int i = 0; i < operands.size(); i++) {
      if (operands.get(i).dtype() != operands.getFirst().dtype()) {
        throw new DTypeException(
            "einsum: operands must have one dtype, but operand 0 is %s and operand %d is %s. Convert one of them with .to(dtype)."
                .formatted(operands.getFirst().dtype(), i, operands.get(i).dtype()));
      }
      rest.add(aligned(i, place, ellipsisAt, rank));
    }
    checkSizes(rest, place);
    while (rest.size() > 1) {
      int[] pair = cheapest(rest);
      Tensor b = rest.remove(pair[1]);
      Tensor a = rest.remove(pair[0]);
      boolean[] summed = new boolean[rank];
      for (int d = kept; d < rank; d++) {
        int dim = d;
        summed[d] = rest.stream().allMatch(x -> x.size(dim) == 1);
      }
      rest.add(pair[0], product(a, b, summed));
    }
    Tensor result = rest.getFirst();
    for (int d = rank - 1; d >= kept; d--) {
      result = result.size(d) == 1 ? result.squeeze(d) : sum(result, d, false);
    }
    return result;
  }

  /// Operand `i` with its diagonals taken, and all dimensions in the common order, of size 1 where it has none.
  private Tensor aligned(int i, int[] place, int ellipsisAt, int rank) {
    Tensor x = operands.get(i);
    List<Integer> labels = inputs.get(i);
    int own = x.dim() - (labels.size() - 1);
    var dims = new ArrayList<Integer>(); // where each dimension goes
    for (int label : labels) {
      if (label == ELLIPSIS) {
        for (int d = 0; d < own; d++) {
          dims.add(ellipsisAt + ellipsisRank - own + d);
        }
      } else {
        dims.add(place[label]);
      }
    }
    for (int d = 0; d < dims.size(); d++) {
      int first = dims.indexOf(dims.get(d));
      if (first < d) {
        if (x.size(first) != x.size(d)) {
          throw new ShapeException(
              "einsum: dimensions of one subscript must have one size, but in '%s' operand %d of shape %s has %d and %d."
                  .formatted(equation, i, operands.get(i).shape(), x.size(first), x.size(d)));
        }
        x = x.diagonal(0, first, d);
        int goesTo = dims.get(d);
        dims.subList(d, d + 1).clear();
        dims.subList(first, first + 1).clear();
        dims.add(goesTo); // the diagonal is the last dimension
        d = -1;
      }
    }
    int[] order = new int[dims.size()];
    int next = 0;
    for (int target = 0; target < rank; target++) {
      int from = dims.indexOf(target);
      if (from >= 0) {
        order[next++] = from;
      }
    }
    Tensor result = order.length < 2 ? x : x.permute(order);
    for (int target = 0; target < rank; target++) {
      if (!dims.contains(target)) {
        result = result.unsqueeze(target);
      }
    }
    return result;
  }

  private void checkSizes(List<Tensor> aligned, int[] place) {
    int rank = aligned.getFirst().dim();
    for (int d = 0; d < rank; d++) {
      long size = 1;
      for (int i = 0; i < aligned.size(); i++) {
        long own = aligned.get(i).size(d);
        if (own != 1 && size != 1 && own != size) {
          throw new ShapeException(
              "einsum: dimensions of one subscript must have one size or 1, but %s is %d in operand %d of shape %s and %d before, in '%s'."
                  .formatted(name(d, place), own, i, operands.get(i).shape(), size, equation));
        }
        size = own == 1 ? size : own;
      }
    }
  }

  private static String name(int dim, int[] place) {
    for (int c = 0; c < place.length; c++) {
      if (place[c] == dim) {
        return "'" + (char) c + "'";
      }
    }
    return "a dimension of the ellipsis";
  }

  /// The two operands whose product is the least work.
  private static int[] cheapest(List<Tensor> rest) {
    int[] best = {0, 1};
    if (rest.size() > 2) {
      double least = Double.POSITIVE_INFINITY;
      for (int i = 0; i < rest.size(); i++) {
        for (int j = i + 1; j < rest.size(); j++) {
          double work = 1;
          for (int d = 0; d < rest.get(i).dim(); d++) {
            work *= Math.max(rest.get(i).size(d), rest.get(j).size(d));
          }
          if (work < least) {
            least = work;
            best = new int[] {i, j};
          }
        }
      }
    }
    return best;
  }

  private static Tensor sum(Tensor x, int dim, boolean keepDim) {
    return x.sum(dim, keepDim);
  }

  /// The product of two operands of one rank, summed over the dimensions that say so, which stay with size 1.
  private static Tensor product(Tensor x, Tensor y, boolean[] summed) {
    Tensor a = x;
    Tensor b = y;
    int rank = a.dim();
    var both = new ArrayList<Integer>();
    var left = new ArrayList<Integer>();
    var right = new ArrayList<Integer>();
    var inner = new ArrayList<Integer>();
    for (int d = 0; d < rank; d++) {
      boolean inA = a.size(d) != 1;
      boolean inB = b.size(d) != 1;
      if (summed[d]) {
        if (inA && inB) {
          inner.add(d);
        } else {
          a = inA ? sum(a, d, true) : a;
          b = inB ? sum(b, d, true) : b;
          both.add(d);
        }
      } else {
        (inA == inB ? both : inA ? left : right).add(d);
      }
    }
    if (a.dtype() != b.dtype()) { // sums of small whole numbers are int64
      a = a.to(DType.INT64);
      b = b.to(DType.INT64);
    }
    long batch = sizes(a, both);
    long rows = sizes(a, left);
    long columns = sizes(b, right);
    long depth = sizes(a, inner);
    Tensor product =
        a.permute(order(List.of(both, left, inner, right)))
            .reshape(batch, rows, depth)
            .bmm(
                b.permute(order(List.of(both, inner, right, left))).reshape(batch, depth, columns));
    int[] order = order(List.of(both, left, right, inner));
    long[] shape = new long[rank];
    int[] back = new int[rank];
    for (int i = 0; i < rank; i++) {
      int d = order[i];
      shape[i] = inner.contains(d) ? 1 : Math.max(a.size(d), b.size(d));
      if (a.size(d) == 0 || b.size(d) == 0) {
        shape[i] = inner.contains(d) ? 1 : 0;
      }
      back[d] = i;
    }
    Tensor seen = product.view(shape);
    return rank < 2 ? seen : seen.permute(back);
  }

  private static long sizes(Tensor x, List<Integer> dims) {
    long count = 1;
    for (int d : dims) {
      count = CheckedSizes.times(count, x.size(d), x.sizesInternal());
    }
    return count;
  }

  private static int[] order(List<List<Integer>> groups) {
    return groups.stream().flatMap(List::stream).mapToInt(Integer::intValue).toArray();
  }
}
