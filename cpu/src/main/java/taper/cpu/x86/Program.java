package taper.cpu.x86;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Operand;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;

/// The straight-line part of a loop, on vectors: operations on values, to which registers are given when
/// the code is emitted. May be emitted several times (unrolled loops, remainders).
///
/// Registers are given out in one pass over the operations. A value keeps its register until its last use;
/// when none is free, the one whose next use is farthest away goes to the stack (Belady 1966). Constants
/// and parameters live in memory and serve as memory operands; they take a register only where an
/// instruction wants one. Some registers may be pinned by the kernel around the program: accumulators,
/// which the program reads with [#pinned] and replaces with [#into].
final class Program {
  private static final int SLOTS = 24;

  /// Mask register and vector registers that operations may use in passing; a program never holds values
  /// there.
  static final Mask SCRATCH_MASK = Mask.K2;

  enum Kind {
    PINNED,
    MEMORY,
    ONE,
    TWO,
    FMA,
    SELECT,
    CUSTOM
  }

  /// Code that a kernel adds: operands are registers.
  interface Emission {
    void emit(Assembler a, int destination, int[] operands);
  }

  /// One value. Belongs to its program.
  static final class Value {
    final Kind kind;
    final @Nullable Instruction instruction;
    final int immediate;
    final Value[] operands;
    final @Nullable Memory memory;
    final boolean spread;
    final @Nullable Emission emission;
    boolean commutative;
    boolean effect;
    int fixed = -1;

    // of the emission under way
    int register = -1;
    int slot = -1;
    int[] uses = {};
    int nextUse;

    Value(
        Kind kind,
        @Nullable Instruction instruction,
        int immediate,
        @Nullable Memory memory,
        boolean spread,
        @Nullable Emission emission,
        Value... operands) {
      this.kind = kind;
      this.instruction = instruction;
      this.immediate = immediate;
      this.memory = memory;
      this.spread = spread;
      this.emission = emission;
      this.operands = operands;
    }
  }

  private record Pattern(long bits, int bytes) {}

  private final Assembler a;
  private final Isa isa;
  private final List<Value> values = new ArrayList<>();
  private final Map<Pattern, Value> constants = new HashMap<>();
  private final int[] pool;
  private final int stack;

  // of the emission under way
  private @Nullable Value[] holders = {};
  private int slots;
  private int position;
  private Value[] locked = {};

  /// A program whose values may use the vector registers from `firstRegister` on.
  ///
  /// @param stack where the kernel has reserved [#stackBytes] on its stack
  Program(Assembler a, Isa isa, int firstRegister, int stack) {
    this.a = a;
    this.isa = isa;
    this.stack = stack;
    this.pool = new int[isa.registers() - 2 - firstRegister];
    for (int i = 0; i < pool.length; i++) {
      pool[i] = firstRegister + i;
    }
  }

  /// The bytes of stack that a program may use.
  static int stackBytes(Isa isa) {
    return SLOTS * isa.bits() / 8;
  }

  /// The number of values, a measure of the work.
  int size() {
    return values.size();
  }

  Isa isa() {
    return isa;
  }

  Assembler assembler() {
    return a;
  }

  /// The first register that operations may use in passing.
  int scratch() {
    return isa.registers() - 1;
  }

  /// The second register that operations may use in passing.
  int secondScratch() {
    return isa.registers() - 2;
  }

  private Value add(Value value) {
    values.add(value);
    return value;
  }

  /// What the kernel keeps in `register`.
  Value pinned(int register) {
    var value = new Value(Kind.PINNED, null, -1, null, false, null);
    value.fixed = register;
    return add(value);
  }

  /// The 32-bit pattern `bits` in all lanes.
  Value bits32(int bits) {
    return constants.computeIfAbsent(
        new Pattern(bits, 4),
        _ -> {
          boolean wide = isa == Isa.AVX512;
          int[] content = new int[wide ? 1 : 8];
          Arrays.fill(content, bits);
          Memory memory = Memory.at(a.ints(content));
          return add(new Value(Kind.MEMORY, Instruction.VBROADCASTSS, -1, memory, wide, null));
        });
  }

  /// The 64-bit pattern `bits` in all lanes.
  Value bits64(long bits) {
    return constants.computeIfAbsent(
        new Pattern(bits, 8),
        _ -> {
          boolean wide = isa == Isa.AVX512;
          long[] content = new long[wide ? 1 : 4];
          Arrays.fill(content, bits);
          Memory memory = Memory.at(a.longs(content));
          return add(new Value(Kind.MEMORY, Instruction.VBROADCASTSD, -1, memory, wide, null));
        });
  }

  /// A number of `bytes` bytes in memory, spread over all lanes.
  Value broadcast(Memory at, int bytes) {
    Instruction load = bytes == 4 ? Instruction.VBROADCASTSS : Instruction.VBROADCASTSD;
    return add(new Value(Kind.MEMORY, load, -1, at, true, null));
  }

  Value one(Instruction instruction, Value x) {
    return one(instruction, -1, x);
  }

  Value one(Instruction instruction, int immediate, Value x) {
    return add(new Value(Kind.ONE, instruction, immediate, null, false, null, x));
  }

  Value two(Instruction instruction, Value x, Value y) {
    return add(new Value(Kind.TWO, instruction, -1, null, false, null, x, y));
  }

  Value commutative(Instruction instruction, Value x, Value y) {
    Value value = two(instruction, x, y);
    value.commutative = true;
    return value;
  }

  /// `x · y + z`; `form231` names the instruction in the 231 order.
  Value fused(Instruction form231, Value x, Value y, Value z) {
    return add(new Value(Kind.FMA, form231, -1, null, false, null, x, y, z));
  }

  /// `then` where the predicate of `x` and `y` holds; `compare` is VCMPPS or VCMPPD,
  /// or one of the comparisons of whole numbers that answer a mask.
  Value select(Instruction compare, int predicate, Value x, Value y, Value then, Value otherwise) {
    return add(
        new Value(Kind.SELECT, compare, predicate, null, false, null, x, y, then, otherwise));
  }

  /// What `emission` leaves in its destination.
  Value custom(Emission emission, Value... operands) {
    return add(new Value(Kind.CUSTOM, null, -1, null, false, emission, operands));
  }

  /// What `emission` does, such as a store; its destination is meaningless.
  void effect(Emission emission, Value... operands) {
    Value value = custom(emission, operands);
    value.effect = true;
  }

  /// Leaves `value` in the pinned `register`, whose old value must not be used any more.
  void into(int register, Value value) {
    boolean direct = value.fixed < 0 && value.kind != Kind.MEMORY && value.kind != Kind.PINNED;
    Value target = direct && !value.effect ? value : one(Instruction.VMOVAPS, value);
    target.fixed = register;
    target.effect = true;
  }

  /// Emits the code.
  void emit() {
    boolean[] live = live();
    for (int i = 0; i < values.size(); i++) {
      Value v = values.get(i);
      v.register = v.kind == Kind.PINNED ? v.fixed : -1;
      v.slot = -1;
      v.nextUse = 0;
    }
    countUses(live);
    holders = new @Nullable Value[isa.registers()];
    slots = 0;
    for (position = 0; position < values.size(); position++) {
      Value v = values.get(position);
      if (live[position]) {
        locked = v.operands;
        switch (v.kind) {
          case PINNED, MEMORY -> {}
          case ONE -> emitOne(v);
          case TWO -> emitTwo(v);
          case FMA -> emitFused(v);
          case SELECT -> emitSelect(v);
          case CUSTOM -> emitCustom(v);
        }
        if (v.uses.length == 0 && v.register >= 0 && v.fixed < 0) {
          free(v);
        }
      }
    }
  }

  private boolean[] live() {
    boolean[] live = new boolean[values.size()];
    var index = new java.util.IdentityHashMap<Value, Integer>();
    for (int i = 0; i < live.length; i++) {
      index.put(values.get(i), i);
    }
    for (int i = live.length - 1; i >= 0; i--) {
      Value v = values.get(i);
      live[i] |= v.effect;
      if (live[i]) {
        for (Value operand : v.operands) {
          live[Objects.requireNonNull(index.get(operand))] = true;
        }
      }
    }
    return live;
  }

  private void countUses(boolean[] live) {
    var uses = new java.util.IdentityHashMap<Value, List<Integer>>();
    for (int i = 0; i < live.length; i++) {
      if (live[i]) {
        for (Value operand : values.get(i).operands) {
          uses.computeIfAbsent(operand, _ -> new ArrayList<>()).add(i);
        }
      }
    }
    for (Value v : values) {
      v.uses = uses.getOrDefault(v, List.of()).stream().mapToInt(Integer::intValue).toArray();
    }
  }

  /// The position of the next use behind the current operation, or a large number.
  private int nextUse(Value v) {
    while (v.nextUse < v.uses.length && v.uses[v.nextUse] <= position) {
      v.nextUse++;
    }
    return v.nextUse < v.uses.length ? v.uses[v.nextUse] : Integer.MAX_VALUE;
  }

  private boolean dies(Value v) {
    return nextUse(v) == Integer.MAX_VALUE;
  }

  private void free(Value v) {
    if (v.register >= 0 && v.kind != Kind.PINNED && holders[v.register] == v) {
      holders[v.register] = null;
      v.register = -1;
    }
  }

  private void freeDead(Value... candidates) {
    for (Value v : candidates) {
      if (dies(v)) {
        free(v);
      }
    }
  }

  private Vector vector(int register) {
    return isa.vector(register);
  }

  private Memory slot(int slot) {
    return Memory.at(Register.RSP, stack + slot * isa.bits() / 8);
  }

  private int allocate(Value v) {
    for (int register : pool) {
      if (holders[register] == null) {
        holders[register] = v;
        return register;
      }
    }
    int victim = -1;
    int farthest = -1;
    for (int register : pool) {
      Value holder = Objects.requireNonNull(holders[register]);
      boolean inUse = false;
      for (Value l : locked) {
        inUse |= l == holder;
      }
      int next = nextUse(holder);
      if (!inUse && next > farthest) {
        farthest = next;
        victim = register;
      }
    }
    Value evicted = Objects.requireNonNull(holders[victim]);
    if (evicted.kind != Kind.MEMORY && evicted.slot < 0) {
      if (slots == SLOTS) {
        throw new TooLargeException();
      }
      evicted.slot = slots++;
      a.emit(Instruction.VMOVUPS_STORE, slot(evicted.slot), vector(victim));
    }
    evicted.register = -1;
    holders[victim] = v;
    return victim;
  }

  /// That a formula needs more intermediate values at once than the stack frame holds.
  static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooLargeException() {
      super("kernel: the formula has too many intermediate values", null, false, false);
    }
  }

  private int allocateResult(Value v) {
    if (v.fixed >= 0) {
      assert values.stream().noneMatch(p -> p.kind == Kind.PINNED && p.fixed == v.fixed && !dies(p))
          : "a pinned register is replaced before its last use";
      v.register = v.fixed;
    } else {
      v.register = allocate(v);
    }
    return v.register;
  }

  /// The register of an operand, loaded if it is not in one.
  private int register(Value v) {
    if (v.register < 0) {
      v.register = allocate(v);
      if (v.kind == Kind.MEMORY) {
        load(v, v.register);
      } else {
        a.emit(Instruction.VMOVUPS, vector(v.register), slot(v.slot));
      }
    }
    return v.register;
  }

  private void load(Value v, int register) {
    Memory memory = Objects.requireNonNull(v.memory);
    if (v.spread) {
      a.emit(Objects.requireNonNull(v.instruction), vector(register), memory);
    } else {
      a.emit(Instruction.VMOVUPS, vector(register), memory);
    }
  }

  /// An operand that may stay in memory.
  private Operand operand(Value v) {
    if (v.register >= 0) {
      return vector(v.register);
    }
    if (v.kind == Kind.MEMORY) {
      Memory memory = Objects.requireNonNull(v.memory);
      if (!v.spread) {
        return memory;
      }
      return isa == Isa.AVX512 ? memory.spread() : vector(register(v));
    }
    return slot(v.slot);
  }

  private void emitOne(Value v) {
    Instruction instruction = Objects.requireNonNull(v.instruction);
    // A half-width operand (widening conversions) cannot be read from a full-width slot or
    // constant.
    Operand x = vector(register(v.operands[0]));
    freeDead(v.operands);
    int d = allocateResult(v);
    switch (instruction) {
      case VCVTPS2PD -> a.emit(instruction, vector(d), ((Vector) x).as(isa.bits() / 2));
      case VCVTPD2PS -> a.emit(instruction, vector(d).as(isa.bits() / 2), x);
      default -> a.emit(instruction, v.immediate, vector(d), x);
    }
  }

  private void emitTwo(Value v) {
    Value x = v.operands[0];
    Value y = v.operands[1];
    if (v.commutative && x.register < 0 && y.register >= 0) {
      Value other = x;
      x = y;
      y = other;
    }
    int first = register(x);
    Operand second = operand(y);
    freeDead(v.operands);
    int d = allocateResult(v);
    a.emit(Objects.requireNonNull(v.instruction), vector(d), vector(first), second);
  }

  private static Instruction order(Instruction form231, String order) {
    return Instruction.valueOf(form231.name().replace("231", order));
  }

  private void emitFused(Value v) {
    Instruction form = Objects.requireNonNull(v.instruction);
    Value x = v.operands[0];
    Value y = v.operands[1];
    Value z = v.operands[2];
    if (x.register < 0 && y.register >= 0 && x != y) {
      Value other = x;
      x = y;
      y = other;
    }
    if (takes(v, z) && z != x && z != y) {
      int d = register(z);
      int first = register(x);
      Operand second = operand(y);
      a.emit(form, vector(d), vector(first), second);
      claim(v, z, d);
    } else if (takes(v, x) && x != y && x != z) {
      int d = register(x);
      int first = register(y);
      Operand last = operand(z);
      a.emit(order(form, "213"), vector(d), vector(first), last);
      claim(v, x, d);
    } else if (takes(v, y) && x != y && y != z) {
      int d = register(y);
      int first = register(x);
      Operand last = operand(z);
      a.emit(order(form, "213"), vector(d), vector(first), last);
      claim(v, y, d);
    } else {
      int first = register(x);
      int last = register(z);
      Operand second = operand(y);
      int d = allocateResult(v);
      move(d, last);
      a.emit(form, vector(d), vector(first), second);
    }
    freeDead(v.operands);
  }

  private void move(int d, int from) {
    if (d != from) {
      a.emit(Instruction.VMOVAPS, vector(d), vector(from));
    }
  }

  /// Whether the result of `v` may overwrite the register of its operand `x`.
  private boolean takes(Value v, Value x) {
    if (x.kind == Kind.MEMORY || !dies(x)) {
      return false;
    }
    return v.fixed >= 0 ? x.register == v.fixed : x.kind != Kind.PINNED && x.register >= 0;
  }

  private void claim(Value v, Value from, int register) {
    if (v.fixed < 0) {
      holders[register] = v;
      from.register = -1;
    }
    v.register = register;
  }

  private void emitSelect(Value v) {
    Value then = v.operands[2];
    Instruction compare = Objects.requireNonNull(v.instruction);
    boolean wide =
        switch (compare) {
          case VCMPPD, VPCMPQ, VPCMPUQ -> true;
          default -> false;
        };
    Vector x = vector(register(v.operands[0]));
    Operand y = operand(v.operands[1]);
    if (isa == Isa.AVX512) {
      a.emit(compare, v.immediate, SCRATCH_MASK, x, y);
    } else {
      a.emit(compare, v.immediate, vector(scratch()), x, y);
    }
    Vector otherwise = vector(register(v.operands[3]));
    Operand chosen = operand(then);
    freeDead(v.operands);
    Vector d = vector(allocateResult(v));
    if (isa == Isa.AVX512) {
      Instruction blend = wide ? Instruction.VBLENDMPD : Instruction.VBLENDMPS;
      a.emit(blend, d.masked(SCRATCH_MASK), otherwise, chosen);
    } else if (wide) {
      a.vblendvpd(d, otherwise, chosen, vector(scratch()));
    } else {
      a.vblendvps(d, otherwise, chosen, vector(scratch()));
    }
  }

  private void emitCustom(Value v) {
    int[] registers = new int[v.operands.length];
    for (int i = 0; i < registers.length; i++) {
      registers[i] = register(v.operands[i]);
    }
    int d = v.effect && v.fixed < 0 ? -1 : allocateResult(v);
    Objects.requireNonNull(v.emission).emit(a, d, registers);
    freeDead(v.operands);
  }
}
