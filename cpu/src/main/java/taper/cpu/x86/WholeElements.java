package taper.cpu.x86;

import static taper.cpu.assembler.Register.R11;

import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;
import taper.tensor.DType;

/// Loads and stores of whole numbers of every type into lanes of 32 or 64 bits, under AVX-512: narrow ones are extended
/// when they come, and cut when they go.
final class WholeElements extends Elements {
  private final Assembler a;
  private final boolean wide;
  private final Vector scratch = Vector.zmm(Isa.AVX512.registers() - 1);

  WholeElements(Assembler a, boolean wide) {
    super(a, Isa.AVX512, wide, 0);
    this.a = a;
    this.wide = wide;
  }

  private Instruction pick(Instruction single, Instruction twice) {
    return wide ? twice : single;
  }

  @Override
  void load(DType dtype, Memory at, int d, boolean tail, @Nullable Register maskTable) {
    Vector v = tail ? Vector.zmm(d).zeroed(TAIL) : Vector.zmm(d);
    Instruction load =
        switch (dtype) {
          case INT64 -> Instruction.VMOVDQU64;
          case INT32 -> pick(Instruction.VMOVUPS, Instruction.VPMOVSXDQ);
          case INT16 -> pick(Instruction.VPMOVSXWD, Instruction.VPMOVSXWQ);
          case INT8 -> pick(Instruction.VPMOVSXBD, Instruction.VPMOVSXBQ);
          case UINT8, BOOL -> pick(Instruction.VPMOVZXBD, Instruction.VPMOVZXBQ);
          case FLOAT32, FLOAT64, BFLOAT16, FLOAT16, COMPLEX32, COMPLEX64, COMPLEX128 ->
              throw new AssertionError(dtype);
        };
    a.emit(load, v, at);
  }

  @Override
  void loadScalar(DType dtype, Memory at, int d) {
    switch (dtype) {
      case INT64 -> a.mov(R11, at);
      case INT32 -> a.movsxd(R11, at);
      case INT16 -> a.movsxw(R11, at);
      case INT8 -> a.movsxb(R11, at);
      case UINT8, BOOL -> a.movzxb(R11, at);
      case FLOAT32, FLOAT64, BFLOAT16, FLOAT16, COMPLEX32, COMPLEX64, COMPLEX128 ->
          throw new AssertionError(dtype);
    }
    Instruction spread = pick(Instruction.VPBROADCASTD_REGISTER, Instruction.VPBROADCASTQ_REGISTER);
    a.emit(spread, Vector.zmm(d), R11);
  }

  @Override
  void store(DType dtype, Memory at, int s, boolean tail, @Nullable Register maskTable) {
    Vector v = Vector.zmm(s);
    Memory to = tail ? at.masked(TAIL) : at;
    if (dtype == DType.BOOL) { // 1 where not 0
      Instruction test = pick(Instruction.VPTESTMD, Instruction.VPTESTMQ);
      a.emit(test, Program.SCRATCH_MASK, v, v);
      Vector one = scratch.zeroed(Program.SCRATCH_MASK);
      if (wide) {
        a.emit(Instruction.VPBROADCASTQ, one, Memory.at(a.longs(1)));
      } else {
        a.emit(Instruction.VPBROADCASTD, one, Memory.at(a.ints(1)));
      }
      v = scratch;
    }
    Instruction store =
        switch (dtype) {
          case INT64 -> Instruction.VMOVDQU64_STORE;
          case INT32 -> pick(Instruction.VMOVUPS_STORE, Instruction.VPMOVQD);
          case INT16 -> pick(Instruction.VPMOVDW, Instruction.VPMOVQW);
          case INT8, UINT8, BOOL -> pick(Instruction.VPMOVDB, Instruction.VPMOVQB);
          case FLOAT32, FLOAT64, BFLOAT16, FLOAT16, COMPLEX32, COMPLEX64, COMPLEX128 ->
              throw new AssertionError(dtype);
        };
    a.emit(store, to, v);
  }
}
