package taper.testing.fuzz;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import taper.tensor.Definition;
import taper.tensor.Operator;

/// Draws calls of operators: a sample, changed a little. Nearly valid calls find most faults.
final class OperatorCalls {
  private static final List<Long> SIZES = List.of(0L, 0L, 1L, 1L, 2L, 3L, 5L, 8L, 17L, 33L, 67L);
  private static final List<Long> HUGE =
      List.of(1L << 31, 1L << 32, 1L << 40, 1L << 59, 1L << 62, Long.MAX_VALUE);
  private static final List<String> RANGES =
      List.of(
          "extreme",
          "extreme",
          "in -1..1",
          "in 0..1",
          "in -100..100",
          "in -3e9..3e9",
          "in 0..9e18",
          "in 0..2000");

  private final List<Operator<?>> operators;

  OperatorCalls(Collection<Operator<?>> operators) {
    this.operators = operators.stream().filter(op -> !op.samples().isEmpty()).toList();
  }

  boolean isEmpty() {
    return operators.isEmpty();
  }

  OperatorCall draw(SplittableRandom random) {
    Operator<?> operator = Numbers.one(operators, random);
    OperatorCall call = OperatorCall.ofSample(operator, random.nextInt(operator.samples().size()));
    for (int changes = random.nextInt(4); changes > 0; changes--) {
      call = changed(call, random);
    }
    return inMode(call, random);
  }

  private static OperatorCall inMode(OperatorCall call, SplittableRandom random) {
    int choice = random.nextInt(10);
    Operator<?> op = call.operator();
    if (choice < 5 && op.isDifferentiable()) {
      return call.withMode(OperatorCall.Mode.BACKWARD, call.out());
    }
    if (call.operands().isEmpty()) {
      return call;
    }
    if (choice == 5 && op.definition() instanceof Definition.Pointwise) {
      return call.withMode(OperatorCall.Mode.IN_PLACE, call.out());
    }
    if (choice == 6) {
      Operand like = Numbers.one(call.operands(), random);
      return call.withMode(
          OperatorCall.Mode.INTO,
          random.nextBoolean() ? like : operand(like, call.operands(), 0, random));
    }
    return call;
  }

  private static OperatorCall changed(OperatorCall call, SplittableRandom random) {
    int n = call.operands().size();
    boolean hasAttributes = !call.attributes().parts().isEmpty();
    if (n == 0 || hasAttributes && random.nextInt(5) < 2) {
      Record sample = call.operator().samples().getFirst().attributes();
      return call.withAttributes(
          (Tree.Group) Numbers.changed(sample.getClass(), call.attributes(), random));
    }
    int i = random.nextInt(n);
    return switch (random.nextInt(12)) {
      case 0 -> everywhere(call, random);
      case 1 -> ofType(call, Numbers.one(Operand.TYPES, random));
      case 2 -> random.nextInt(4) == 0 ? withOtherCount(call, i, random) : call;
      default -> call.withOperand(i, operand(call.operands().get(i), call.operands(), i, random));
    };
  }

  /// One size of the call, wherever it appears, becomes another: such calls are often valid.
  private static OperatorCall everywhere(OperatorCall call, SplittableRandom random) {
    var sizes = new ArrayList<Long>();
    for (Operand operand : call.operands()) {
      if (operand instanceof Operand.Region region) {
        sizes.addAll(region.sizes());
      }
    }
    if (sizes.isEmpty()) {
      return call;
    }
    long before = Numbers.one(sizes, random);
    long after = Numbers.one(SIZES, random);
    return call.withOperands(
        call.operands().stream()
            .map(operand -> {
              if (operand instanceof Operand.Region region && region.strides() == null) {
                var others = new ArrayList<>(region.sizes());
                Collections.replaceAll(others, before, after);
                return region.withSizes(others);
              }
              return operand;
            })
            .toList());
  }

  private static OperatorCall ofType(OperatorCall call, String type) {
    return call.withOperands(
        call.operands().stream()
            .map(operand ->
                operand instanceof Operand.Region region && region.of() < 0
                    ? region.withType(type)
                    : operand)
            .toList());
  }

  private static OperatorCall withOtherCount(OperatorCall call, int i, SplittableRandom random) {
    var others = new ArrayList<>(call.operands());
    if (random.nextBoolean()) {
      others.remove(i);
    } else {
      others.add(i, others.get(i));
    }
    return call.withOperands(others);
  }

  /// Another operand in the place of `operand`, the one at `i` of `all`.
  static Operand operand(Operand operand, List<Operand> all, int i, SplittableRandom random) {
    if (!(operand instanceof Operand.Region region) || region.of() >= 0) {
      return random.nextInt(3) == 0 ? operand : Numbers.one(all, random);
    }
    return switch (random.nextInt(14)) {
      case 0 -> new Operand.Absent();
      case 1 -> number(random);
      case 2 -> i == 0 ? region : new Operand.Same(random.nextInt(i));
      case 3 -> i == 0 ? region : region.viewOf(random.nextInt(i));
      case 4 -> region.withType(Numbers.one(Operand.TYPES, random));
      case 5 -> region.withValues(Numbers.one(RANGES, random));
      case 6, 7, 8 -> resized(region, random);
      case 9 -> otherRank(region, random);
      case 10 -> random.nextInt(3) == 0 ? expanded(region, HUGE, random) : region;
      case 11 -> expanded(region, SIZES, random);
      case 12 -> transposed(region, random);
      default -> stepped(region, random);
    };
  }

  private static Operand number(SplittableRandom random) {
    return new Operand.JavaNumber(
        Numbers.one(
            List.of(
                "0",
                "1",
                "-1",
                "2.5",
                "NaN",
                "-Infinity",
                "300",
                "9223372036854775807",
                "true",
                "1-2j"),
            random));
  }

  private static Operand.Region resized(Operand.Region region, SplittableRandom random) {
    if (region.sizes().isEmpty()) {
      return region;
    }
    var sizes = new ArrayList<>(region.sizes());
    int d = random.nextInt(sizes.size());
    long beside = Math.max(0, sizes.get(d) + (random.nextBoolean() ? 1 : -1));
    sizes.set(d, random.nextBoolean() ? beside : Numbers.one(SIZES, random));
    return region.withSizes(sizes);
  }

  private static Operand.Region otherRank(Operand.Region region, SplittableRandom random) {
    var sizes = new ArrayList<>(region.sizes());
    if (sizes.isEmpty() || random.nextBoolean()) {
      do {
        sizes.add(random.nextInt(sizes.size() + 1), random.nextLong(3));
      } while (sizes.size() < 6 && random.nextInt(3) == 0);
    } else {
      sizes.remove(random.nextInt(sizes.size()));
    }
    return region.withLayout(null, 0).withSizes(sizes);
  }

  private static Operand.Region expanded(
      Operand.Region region, List<Long> to, SplittableRandom random) {
    if (region.sizes().isEmpty()) {
      return region;
    }
    int d = random.nextInt(region.sizes().size());
    var sizes = new ArrayList<>(region.sizes());
    var strides = new ArrayList<>(Operand.dense(sizes));
    if (random.nextInt(3) > 0) {
      sizes.set(d, Numbers.one(to, random));
    }
    strides.set(d, 0L);
    return region.withLayout(null, 0).withSizes(sizes).withLayout(strides, 0);
  }

  private static Operand.Region transposed(Operand.Region region, SplittableRandom random) {
    var order = new ArrayList<Integer>();
    for (int d = 0; d < region.sizes().size(); d++) {
      order.add(d);
    }
    Collections.shuffle(order, new java.util.Random(random.nextLong()));
    var strides = new ArrayList<>(region.sizes());
    long step = 1;
    for (int d : order) {
      strides.set(d, step);
      step *= Math.max(1, region.sizes().get(d));
    }
    return region.withLayout(strides, random.nextInt(3));
  }

  private static Operand.Region stepped(Operand.Region region, SplittableRandom random) {
    long step = random.nextInt(4);
    return region.withLayout(
        Operand.dense(region.sizes()).stream().map(s -> s * step).toList(), random.nextInt(4));
  }
}
