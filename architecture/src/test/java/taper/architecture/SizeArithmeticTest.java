package taper.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.BasicInterpreter;
import org.objectweb.asm.tree.analysis.BasicValue;

/// Sizes are `long`. What was narrowed to `int` is not multiplied as `int`, since the product may not fit where its factors
/// did: `(int) h * (int) w` of an image with 50,000 rows and columns is negative.
final class SizeArithmeticTest {

  @Test
  void noIntIsMultipliedThatWasNarrowedFromLong() throws Exception {
    var faults = new ArrayList<String>();
    int classes = 0;
    for (String module :
        List.of("tensor", "cpu", "lapack", "nn", "optim", "data", "vision", "serialization")) {
      Path root = Path.of(module, "target", "classes");
      try (var files = Files.walk(root)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
          try (InputStream in = Files.newInputStream(file)) {
            faults.addAll(faultsOf(in));
            classes++;
          }
        }
      }
    }

    assertThat(classes).isGreaterThan(500);
    assertThat(faults).as("use long, or Math.multiplyExact").isEmpty();
  }

  @Test
  void theRuleFindsSuchProducts() throws Exception {
    try (InputStream in =
        SizeArithmeticTest.class.getResourceAsStream("SizeArithmeticTest$Examples.class")) {
      assertThat(in).isNotNull();
      assertThat(faultsOf(in)).hasSize(3).allMatch(fault -> fault.contains(".wrong"));
    }
  }

  @SuppressWarnings({"unused", "NarrowCalculation"})
  private static final class Examples {
    static int wrongAtOnce(long h, long w) {
      return (int) h * (int) w;
    }

    static int wrongLater(long h, int w, boolean odd) {
      int rows = Math.toIntExact(h);
      if (odd) {
        rows++;
      }
      return w * rows;
    }

    static int wrongTooLate(long h, int w) {
      int rows = (int) h - 1;
      return rows * w;
    }

    static int exact(long h, long w) {
      return Math.multiplyExact(Math.toIntExact(h), Math.toIntExact(w));
    }

    static int bounded(long n) {
      return 4 * (int) Math.min(n, 1024);
    }

    static long wide(long h, long w) {
      return h * w;
    }
  }

  private static List<String> faultsOf(InputStream classFile)
      throws IOException, AnalyzerException {
    var type = new ClassNode();
    new ClassReader(classFile).accept(type, 0);
    var faults = new ArrayList<String>();
    for (MethodNode method : type.methods) {
      if (method.instructions.size() > 0) {
        var narrowing = new Narrowing();
        new Analyzer<>(narrowing).analyze(type.name, method);
        int line = 0;
        for (AbstractInsnNode instruction : method.instructions) {
          if (instruction instanceof LineNumberNode number) {
            line = number.line;
          }
          if (narrowing.products.contains(instruction)) {
            faults.add(type.name.replace('/', '.') + "." + method.name + ":" + line);
          }
        }
      }
    }
    return faults;
  }

  /// Follows values that were narrowed from `long` to `int` through one method.
  private static final class Narrowing extends BasicInterpreter {
    /// An `int` that may be as large as one can be.
    private static final BasicValue NARROWED = new Marked(Type.INT_TYPE);

    /// A `long` that the code has bounded, by a minimum, a remainder or a mask.
    private static final BasicValue BOUNDED = new Marked(Type.LONG_TYPE);

    private final Set<AbstractInsnNode> products = new HashSet<>();

    Narrowing() {
      super(Opcodes.ASM9);
    }

    /// A value that is told from others of its type.
    private static final class Marked extends BasicValue {
      Marked(Type type) {
        super(type);
      }

      @Override
      public boolean equals(@Nullable Object other) {
        return this == other;
      }

      @Override
      public int hashCode() {
        return System.identityHashCode(this);
      }
    }

    @Override
    public @Nullable BasicValue unaryOperation(AbstractInsnNode instruction, BasicValue value)
        throws AnalyzerException {
      return switch (instruction.getOpcode()) {
        case Opcodes.L2I -> value == BOUNDED ? BasicValue.INT_VALUE : NARROWED;
        case Opcodes.INEG, Opcodes.IINC ->
            value == NARROWED ? NARROWED : super.unaryOperation(instruction, value);
        default -> super.unaryOperation(instruction, value);
      };
    }

    @Override
    public @Nullable BasicValue binaryOperation(
        AbstractInsnNode instruction, BasicValue left, BasicValue right) throws AnalyzerException {
      boolean narrowed = left == NARROWED || right == NARROWED;
      switch (instruction.getOpcode()) {
        case Opcodes.IMUL -> {
          if (narrowed) {
            products.add(instruction);
            return NARROWED;
          }
        }
        case Opcodes.IADD, Opcodes.ISUB -> {
          if (narrowed) {
            return NARROWED;
          }
        }
        case Opcodes.IDIV -> {
          if (left == NARROWED) {
            return NARROWED;
          }
        }
        case Opcodes.LAND, Opcodes.LREM, Opcodes.LSHR, Opcodes.LUSHR -> {
          return BOUNDED;
        }
        default -> {}
      }
      return super.binaryOperation(instruction, left, right);
    }

    @Override
    public @Nullable BasicValue naryOperation(
        AbstractInsnNode instruction, List<? extends BasicValue> values) throws AnalyzerException {
      if (instruction instanceof MethodInsnNode call && call.owner.equals("java/lang/Math")) {
        boolean longs = call.desc.endsWith("J");
        switch (call.name) {
          case "toIntExact" -> {
            return NARROWED;
          }
          case "min", "clamp" -> {
            if (longs) {
              return BOUNDED;
            }
          }
          case "max" -> {
            if (!longs && values.contains(NARROWED)) {
              return NARROWED;
            }
          }
          default -> {}
        }
      }
      return super.naryOperation(instruction, values);
    }

    @Override
    public BasicValue merge(BasicValue one, BasicValue other) {
      if (one == other) {
        return one;
      }
      if (isInt(one) && isInt(other) && (one == NARROWED || other == NARROWED)) {
        return NARROWED;
      }
      if (one == BOUNDED || other == BOUNDED) {
        return one.getType() == other.getType()
            ? BasicValue.LONG_VALUE
            : BasicValue.UNINITIALIZED_VALUE;
      }
      return super.merge(one, other);
    }

    private static boolean isInt(BasicValue value) {
      return value.getType() == Type.INT_TYPE;
    }
  }
}
