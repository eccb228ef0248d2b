package taper.cpu.assembler;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static taper.cpu.assembler.Instruction.VADDPS;
import static taper.cpu.assembler.Instruction.VFMADD231PS;
import static taper.cpu.assembler.Instruction.VMOVUPS;
import static taper.cpu.assembler.Instruction.VMOVUPS_STORE;
import static taper.cpu.assembler.Register.R12;
import static taper.cpu.assembler.Register.R13;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RBP;
import static taper.cpu.assembler.Register.RBX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;
import static taper.cpu.assembler.Register.RSP;
import static taper.cpu.assembler.Vector.xmm;
import static taper.cpu.assembler.Vector.ymm;
import static taper.cpu.assembler.Vector.zmm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class AssemblerTest {

  private static byte[] assemble(Consumer<Assembler> code) {
    var a = new Assembler();
    code.accept(a);
    return a.toBytes();
  }

  private static List<String> decode(Consumer<Assembler> code) {
    assumeTrue(Disassembler.isInstalled(), "objdump is not installed");
    return Disassembler.decode(assemble(code)).stream()
        .map(line -> line.text().replaceAll(" +", " "))
        .toList();
  }

  @Test
  void generalInstructionsDecodeToWhatWasMeant() {
    List<String> lines =
        decode(a -> {
          a.mov(RAX, R13);
          a.mov(R9, Memory.at(RSP, 8));
          a.mov(Memory.at(RBP), R12);
          a.mov(RDX, 7);
          a.mov(R9, -2);
          a.mov(RAX, 0x123456789ABCL);
          a.movl(RAX, Memory.at(R12, 300));
          a.movl(Memory.at(RDI, R9, 4, -8), RSI);
          a.movsxd(RAX, Memory.at(RSI));
          a.movzxb(RCX, Memory.at(R13));
          a.movb(Memory.at(RDI), RSI);
          a.movw(Memory.at(RDI), R9);
          a.lea(RAX, Memory.at(RBX, RCX, 8, 1000));
          a.add(RDI, 64);
          a.add(RDI, 640);
          a.add(R9, RAX);
          a.sub(RSP, 32);
          a.sub(RAX, Memory.at(RSI, 16));
          a.and(RCX, 15);
          a.cmp(RCX, R12);
          a.cmp(RCX, 0);
          a.test(RDI, RDI);
          a.imul(RAX, R9);
          a.imul(R12, RAX, 48);
          a.shl(RCX, 2);
          a.shr(R9, 3);
          a.dec(R13);
          a.neg(RAX);
          a.push(R12);
          a.pop(RBX);
          a.cmov(Condition.LESS, RAX, RCX);
          a.bzhi(RAX, RCX, RDX);
          a.prefetcht0(Memory.at(RSI, 64));
          a.cpuid();
          a.xgetbv();
          a.vzeroupper();
          a.ret();
        });

    assertThat(lines)
        .containsExactly(
            "mov rax,r13",
            "mov r9,QWORD PTR [rsp+0x8]",
            "mov QWORD PTR [rbp+0x0],r12",
            "mov edx,0x7",
            "mov r9,0xfffffffffffffffe",
            "movabs rax,0x123456789abc",
            "mov eax,DWORD PTR [r12+0x12c]",
            "mov DWORD PTR [rdi+r9*4-0x8],esi",
            "movsxd rax,DWORD PTR [rsi]",
            "movzx ecx,BYTE PTR [r13+0x0]",
            "mov BYTE PTR [rdi],sil",
            "mov WORD PTR [rdi],r9w",
            "lea rax,[rbx+rcx*8+0x3e8]",
            "add rdi,0x40",
            "add rdi,0x280",
            "add r9,rax",
            "sub rsp,0x20",
            "sub rax,QWORD PTR [rsi+0x10]",
            "and rcx,0xf",
            "cmp rcx,r12",
            "cmp rcx,0x0",
            "test rdi,rdi",
            "imul rax,r9",
            "imul r12,rax,0x30",
            "shl rcx,0x2",
            "shr r9,0x3",
            "dec r13",
            "neg rax",
            "push r12",
            "pop rbx",
            "cmovl rax,rcx",
            "bzhi rax,rcx,rdx",
            "prefetcht0 BYTE PTR [rsi+0x40]",
            "cpuid",
            "xgetbv",
            "vzeroupper",
            "ret");
  }

  @Test
  void vectorInstructionsDecodeToWhatWasMeant() {
    List<String> lines =
        decode(a -> {
          a.emit(VADDPS, ymm(1), ymm(2), ymm(3));
          a.emit(VADDPS, ymm(9), ymm(10), ymm(11));
          a.emit(VADDPS, ymm(9), ymm(10), Memory.at(R13, R9, 4, 64));
          a.emit(VADDPS, ymm(17), ymm(26), ymm(31));
          a.emit(VADDPS, zmm(1), zmm(2), zmm(3));
          a.emit(VADDPS, zmm(8), zmm(24), Memory.at(RDI, 4).spread());
          a.emit(VADDPS, zmm(8).masked(Mask.K3), zmm(24), Memory.at(RDI, 128));
          a.emit(VMOVUPS, zmm(8).zeroed(Mask.K1), Memory.at(RSI, RCX, 4, 0));
          a.emit(VMOVUPS_STORE, Memory.at(RDX, 100).masked(Mask.K7), zmm(30));
          a.emit(VFMADD231PS, zmm(0), zmm(31), Memory.at(RDI, 508).spread());
          a.emit(VFMADD231PS, zmm(0), zmm(31), Memory.at(RDI, 512).spread());
          a.emit(Instruction.VCMPPS, Assembler.CMP_LESS_EQUAL, Mask.K2, zmm(1), zmm(2));
          a.emit(Instruction.VCMPPS, Assembler.CMP_LESS_EQUAL, ymm(2), ymm(1), ymm(2));
          a.vblendvps(ymm(1), ymm(2), ymm(3), ymm(12));
          a.emit(Instruction.VPSLLD, 23, ymm(3), ymm(14));
          a.emit(Instruction.VPSLLD, 23, zmm(3), zmm(14));
          a.emit(Instruction.VGATHERQPD, ymm(1), Memory.gather(RSI, ymm(9), 4, 0), ymm(3));
          a.emit(Instruction.VGATHERQPD, zmm(1).masked(Mask.K1), Memory.gather(RSI, zmm(25), 4, 8));
          a.emit(Instruction.VMASKMOVPS_STORE, Memory.at(RDI), ymm(1), ymm(2));
          a.emit(Instruction.VCVTPS2PH, 0, Memory.at(RDI, 16), ymm(2));
          a.emit(Instruction.VEXTRACTF64X4, 1, ymm(3), zmm(4));
          a.emit(Instruction.KMOVQ, Mask.K3, RAX);
          a.emit(Instruction.KORW, Mask.K1, Mask.K2, Mask.K3);
          a.emit(Instruction.VPMOVDB, Memory.at(RDI, 16), zmm(4));
          a.emit(Instruction.VMOVD, xmm(3), RAX);
          a.emit(Instruction.VCVTTSD2SI, R9, xmm(3));
        });

    assertThat(lines)
        .containsExactly(
            "vaddps ymm1,ymm2,ymm3",
            "vaddps ymm9,ymm10,ymm11",
            "vaddps ymm9,ymm10,YMMWORD PTR [r13+r9*4+0x40]",
            "vaddps ymm17,ymm26,ymm31",
            "vaddps zmm1,zmm2,zmm3",
            "vaddps zmm8,zmm24,DWORD BCST [rdi+0x4]",
            "vaddps zmm8{k3},zmm24,ZMMWORD PTR [rdi+0x80]",
            "vmovups zmm8{k1}{z},ZMMWORD PTR [rsi+rcx*4]",
            "vmovups ZMMWORD PTR [rdx+0x64]{k7},zmm30",
            "vfmadd231ps zmm0,zmm31,DWORD BCST [rdi+0x1fc]",
            "vfmadd231ps zmm0,zmm31,DWORD BCST [rdi+0x200]",
            "vcmple_oqps k2,zmm1,zmm2",
            "vcmple_oqps ymm2,ymm1,ymm2",
            "vblendvps ymm1,ymm2,ymm3,ymm12",
            "vpslld ymm3,ymm14,0x17",
            "vpslld zmm3,zmm14,0x17",
            "vgatherqpd ymm1,QWORD PTR [rsi+ymm9*4],ymm3",
            "vgatherqpd zmm1{k1},QWORD PTR [rsi+zmm25*4+0x8]",
            "vmaskmovps YMMWORD PTR [rdi],ymm1,ymm2",
            "vcvtps2ph XMMWORD PTR [rdi+0x10],ymm2,0x0",
            "vextractf64x4 ymm3,zmm4,0x1",
            "kmovq k3,rax",
            "korw k1,k2,k3",
            "vpmovdb XMMWORD PTR [rdi+0x10],zmm4",
            "vmovd xmm3,eax",
            "vcvttsd2si r9,xmm3");
  }

  /// Every line of the table: one instruction, of the right name and length, with the right operands.
  @Test
  void everyInstructionOfTheTableDecodes() {
    assumeTrue(Disassembler.isInstalled(), "objdump is not installed");
    var a = new Assembler();
    var expected = new ArrayList<Disassembler.Line>();
    for (Instruction instruction : Instruction.values()) {
      for (int bits : new int[] {128, 256, 512}) {
        if (allows(instruction, bits)) {
          int start = a.size();
          Operand[] operands = operands(instruction, bits);
          boolean immediate = IMMEDIATE.matcher(instruction.name()).matches();
          a.emit(instruction, immediate ? 1 : -1, operands);
          expected.add(
              new Disassembler.Line(a.size() - start, instruction.mnemonic() + numbers(operands)));
        }
      }
    }

    List<Disassembler.Line> lines = Disassembler.decode(a.toBytes());

    for (int i = 0; i < expected.size(); i++) {
      String mnemonic = lines.get(i).text().replaceAll(" .*", "");
      mnemonic = mnemonic.replaceAll("vcmp[a-z_]+(p[sd])", "vcmp$1");
      mnemonic = mnemonic.replaceAll("vpcmp(lt|)(u?[dq])$", "vpcmp$2");
      String wide = mnemonic.replaceAll("vp(and|or|xor)[dq]$", "vp$1");
      wide = wide.replaceAll("^vmovdqu32$", "vmovdqu");
      String operands = lines.get(i).text().replaceFirst("^[^ ]+", "");
      assertThat(new Disassembler.Line(lines.get(i).length(), wide + numbersIn(operands)))
          .as("%s", lines.get(i).text())
          .isEqualTo(expected.get(i));
    }
  }

  private static final Pattern IMMEDIATE =
      Pattern.compile(
          "VCMP..|VROUND..|VRNDSCALE..|VGETMANT..|VPCMPU?[DQ]|VPS[LR][LA][DQ]|VSHUF.*|VPSHUFD"
              + "|VPERMQ|VPERMPD|VPERM2F128|VALIGND|VEXTRACT.*|VINSERT.*|VCVTPS2PH|VPEXTRB|VPINSRB"
              + "|KSHIFT.*");
  private static final Pattern TO_MASK = Pattern.compile("VPCMPU?[DQ]|VPTESTM.|VCMPP.|VPCMPEQ.");
  private static final Pattern ONLY_128 =
      Pattern.compile(".*S[SD](_STORE)?|VMOV[DQ](_STORE)?|VPEXTRB|VPINSRB|.*2SI|VINSERTPS");
  private static final Pattern REGISTERS_ONLY = Pattern.compile("VMOVMSK..|K.*|VPS[LR][LA][DQ]");
  private static final Pattern AT_LEAST_256 =
      Pattern.compile(
          "VPERM[DQ]|VPERMP[SD]|VPERM2F128|VBROADCASTSD|V(EXTRACT|INSERT|SHUF)[FI](32|64|128).*");
  private static final Pattern ONLY_512 = Pattern.compile("V(EXTRACT|INSERT)F64X4|VPERMPD_VECTOR");

  private static boolean allows(Instruction instruction, int bits) {
    String name = instruction.name();
    boolean fixed = name.startsWith("K") || ONLY_128.matcher(name).matches();
    if ((name.equals("VBROADCASTSS") || instruction.form.evexW() < 0) && bits == 512) {
      return name.equals("VBROADCASTSS");
    }
    if (fixed && !name.equals("VBROADCASTSS") && !name.equals("VBROADCASTSD")) {
      return bits == 128;
    }
    if (ONLY_512.matcher(name).matches()) {
      return bits == 512;
    }
    return bits >= 256 || !AT_LEAST_256.matcher(name).matches();
  }

  private static Operand[] operands(Instruction instruction, int bits) {
    String name = instruction.name();
    Memory memory = Memory.at(R13, R9, 4, 64);
    Operand d = Vector.of(9, bits);
    Operand last = REGISTERS_ONLY.matcher(name).matches() ? Vector.of(11, bits) : memory;
    if (name.endsWith("2SI") || name.startsWith("VMOVMSK")) {
      d = R12;
    }
    boolean mask = TO_MASK.matcher(name).matches() && (bits == 512 || instruction.form.vexW() < 0);
    if (mask) {
      d = Mask.K3;
    }
    if (name.endsWith("_REGISTER")) {
      last = R12;
    }
    return switch (instruction.operands) {
      case TWO -> new Operand[] {d, last};
      case STORE -> new Operand[] {memory, Vector.of(9, bits)};
      case THREE -> new Operand[] {d, Vector.of(10, bits), last};
      case MASKED_STORE -> new Operand[] {memory, Vector.of(10, bits), Vector.of(9, bits)};
      case SECOND_FIRST -> new Operand[] {d, last};
      case GATHER -> {
        Memory gather = Memory.gather(R13, Vector.of(12, bits), 4, 64);
        yield bits == 512
            ? new Operand[] {Vector.of(9, bits).masked(Mask.K3), gather}
            : new Operand[] {d, gather, Vector.of(10, bits)};
      }
      case REGISTER_FIRST ->
          name.endsWith("_TO")
              ? new Operand[] {R12, Mask.K3}
              : name.startsWith("KMOV") && !name.endsWith("COPY")
                  ? new Operand[] {Mask.K3, R12}
                  : new Operand[] {Mask.K3, Mask.K5};
      case MASKS -> new Operand[] {Mask.K3, Mask.K4, Mask.K5};
    };
  }

  private static String numbers(Operand[] operands) {
    var text = new StringBuilder();
    for (Operand operand : operands) {
      text.append(' ');
      text.append(
          switch (operand) {
            case Memory m -> m.index() instanceof Vector ? "[r13+v12*4+0x40]" : "[r13+r9*4+0x40]";
            case Vector v -> "v" + v.number();
            case Mask m -> "k" + m.number();
            case Register r -> "r" + r.number();
          });
    }
    return text.toString();
  }

  private static String numbersIn(String operands) {
    var text = new StringBuilder();
    for (String operand : operands.trim().split(",")) {
      String bare =
          operand
              .replaceAll("[A-Z]+ (PTR|BCST) ", "")
              .replaceAll("\\{.*?\\}", "")
              .replaceAll("[xyz]mm", "v")
              .replaceAll("^(r[0-9]+)[dwb]$", "$1");
      if (!bare.startsWith("0x")) {
        text.append(' ').append(bare);
      }
    }
    return text.toString();
  }

  @Test
  void jumpsAndConstantsAreResolved() {
    assumeTrue(CpuFeatures.current().unavailable() == null, "no assembled code here");
    var a = new Assembler();
    // x[i] = x[i] + 2.5 for 8 · count elements, skipped when count is 0
    var end = new Label();
    a.test(RSI, RSI);
    a.jump(Condition.EQUAL, end);
    a.repeat(
        RSI,
        () -> {
          a.emit(VMOVUPS, ymm(0), Memory.at(RDI));
          a.emit(VADDPS, ymm(0), ymm(0), Memory.at(a.floats(2.5f, 8)));
          a.emit(VMOVUPS_STORE, Memory.at(RDI), ymm(0));
          a.add(RDI, 32);
        });
    a.bind(end);
    a.vzeroupper();
    a.ret();
    Code code = a.install();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocate(JAVA_FLOAT, 24);
      code.run(x.address(), 0);
      code.run(x.address(), 2);

      assertThat(x.getAtIndex(JAVA_FLOAT, 0)).isEqualTo(2.5f);
      assertThat(x.getAtIndex(JAVA_FLOAT, 15)).isEqualTo(2.5f);
      assertThat(x.getAtIndex(JAVA_FLOAT, 16)).isZero();
    }
  }

  @Test
  void allArgumentsArrive() {
    assumeTrue(CpuFeatures.current().unavailable() == null, "no assembled code here");
    var a = new Assembler();
    for (int i = 1; i < 6; i++) {
      a.mov(Memory.at(RDI, 8 * i), Register.argument(i));
    }
    a.ret();
    Code code = a.install();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocate(JAVA_LONG, 6);
      code.run(x.address(), 11, 22, 33, 44, 1L << 40);

      assertThat(x.toArray(JAVA_LONG)).containsExactly(0, 11, 22, 33, 44, 1L << 40);
    }
  }
}
