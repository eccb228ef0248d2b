package taper.cpu.assembler;

import static taper.cpu.assembler.Form.D;
import static taper.cpu.assembler.Form.D_F2;
import static taper.cpu.assembler.Form.D_F3;
import static taper.cpu.assembler.Form.F3_2;
import static taper.cpu.assembler.Form.PD;
import static taper.cpu.assembler.Form.PD2;
import static taper.cpu.assembler.Form.PD3;
import static taper.cpu.assembler.Form.PS;
import static taper.cpu.assembler.Form.PS2;
import static taper.cpu.assembler.Form.PS3;
import static taper.cpu.assembler.Form.Q;
import static taper.cpu.assembler.Form.Q_F3;
import static taper.cpu.assembler.Form.SD;
import static taper.cpu.assembler.Form.SS;
import static taper.cpu.assembler.Instruction.Operands.REGISTER_FIRST;
import static taper.cpu.assembler.Instruction.Operands.SECOND_FIRST;
import static taper.cpu.assembler.Instruction.Operands.STORE;
import static taper.cpu.assembler.Instruction.Operands.THREE;
import static taper.cpu.assembler.Instruction.Operands.TWO;

/// The vector and mask instructions, by their names in the Intel 64 manual (volume 2).
///
/// Where the 512-bit form of an integer instruction has a name of its own (`vpandd` beside `vpand`) it
/// goes by the shorter one. One line each: a new instruction is a new line.
public enum Instruction {
  VMOVUPS(TWO, PS, 0x10),
  VMOVUPS_STORE(STORE, PS, 0x11),
  VMOVUPD(TWO, PD, 0x10),
  VMOVUPD_STORE(STORE, PD, 0x11),
  VMOVAPS(TWO, PS, 0x28),
  VMOVNTPS(STORE, PS, 0x2B),
  /// Loads one element and clears the rest.
  VMOVSS(TWO, SS, 0x10),
  VMOVSS_STORE(STORE, SS, 0x11),
  VMOVSD(TWO, SD, 0x10),
  VMOVSD_STORE(STORE, SD, 0x11),
  VMOVDQU(TWO, D_F3, 0x6F),
  VMOVDQU_STORE(STORE, D_F3, 0x7F),
  VMOVDQU64(TWO, Q_F3.evexOnly(), 0x6F),
  VMOVDQU64_STORE(STORE, Q_F3.evexOnly(), 0x7F),
  VMOVDQU8(TWO, D_F2.evexOnly(), 0x6F),
  VMOVDQU8_STORE(STORE, D_F2.evexOnly(), 0x7F),
  VMOVD(TWO, D.element(4), 0x6E),
  VMOVD_STORE(STORE, D.element(4), 0x7E),
  VMOVQ(TWO, new Form(1, 1, 1, 1, 8, Form.Tuple.ELEMENT), 0x6E),
  VMOVQ_STORE(STORE, new Form(1, 1, 1, 1, 8, Form.Tuple.ELEMENT), 0x7E),
  VPEXTRB(STORE, PS3.element(1), 0x14),
  VINSERTPS(THREE, PS3.element(4), 0x21),
  VPINSRB(THREE, PS3.element(1), 0x20),

  VADDPS(THREE, PS, 0x58),
  VADDPD(THREE, PD, 0x58),
  VADDSS(THREE, SS, 0x58),
  VADDSD(THREE, SD, 0x58),
  VMULPS(THREE, PS, 0x59),
  VMULPD(THREE, PD, 0x59),
  VMULSS(THREE, SS, 0x59),
  VMULSD(THREE, SD, 0x59),
  VSUBPS(THREE, PS, 0x5C),
  VSUBPD(THREE, PD, 0x5C),
  VMINPS(THREE, PS, 0x5D),
  VMINPD(THREE, PD, 0x5D),
  VMINSS(THREE, SS, 0x5D),
  VMINSD(THREE, SD, 0x5D),
  VDIVPS(THREE, PS, 0x5E),
  VDIVPD(THREE, PD, 0x5E),
  VMAXPS(THREE, PS, 0x5F),
  VMAXPD(THREE, PD, 0x5F),
  VMAXSS(THREE, SS, 0x5F),
  VMAXSD(THREE, SD, 0x5F),
  VSQRTPS(TWO, PS, 0x51),
  VSQRTPD(TWO, PD, 0x51),
  VANDPS(THREE, PS, 0x54),
  VANDPD(THREE, PD, 0x54),
  VORPS(THREE, PS, 0x56),
  VORPD(THREE, PD, 0x56),
  VXORPS(THREE, PS, 0x57),
  VXORPD(THREE, PD, 0x57),
  VMOVMSKPS(TWO, PS.vexOnly(), 0x50),
  VMOVMSKPD(TWO, PD.vexOnly(), 0x50),

  VFMADD132PS(THREE, PS2, 0x98),
  VFMADD132PD(THREE, PD2, 0x98),
  VFMADD213PS(THREE, PS2, 0xA8),
  VFMADD213PD(THREE, PD2, 0xA8),
  VFMADD231PS(THREE, PS2, 0xB8),
  VFMADD231PD(THREE, PD2, 0xB8),
  VFMSUB132PS(THREE, PS2, 0x9A),
  VFMSUB132PD(THREE, PD2, 0x9A),
  VFMSUB213PS(THREE, PS2, 0xAA),
  VFMSUB213PD(THREE, PD2, 0xAA),
  VFMSUB231PS(THREE, PS2, 0xBA),
  VFMSUB231PD(THREE, PD2, 0xBA),
  VFNMADD132PS(THREE, PS2, 0x9C),
  VFNMADD132PD(THREE, PD2, 0x9C),
  VFNMADD213PS(THREE, PS2, 0xAC),
  VFNMADD213PD(THREE, PD2, 0xAC),
  VFNMADD231PS(THREE, PS2, 0xBC),
  VFNMADD231PD(THREE, PD2, 0xBC),

  /// The result is a mask register under AVX-512.
  VCMPPS(THREE, PS, 0xC2),
  VCMPPD(THREE, PD, 0xC2),
  VROUNDPS(TWO, PS3.vexOnly(), 0x08),
  VROUNDPD(TWO, new Form(3, 1, 0, -1, 8, Form.Tuple.FULL), 0x09),
  VRNDSCALEPS(TWO, PS3.evexOnly(), 0x08),
  VRNDSCALEPD(TWO, PD3.evexOnly(), 0x09),
  VSCALEFPS(THREE, PS2.evexOnly(), 0x2C),
  VSCALEFPD(THREE, PD2.evexOnly(), 0x2C),
  VGETEXPPS(TWO, PS2.evexOnly(), 0x42),
  VGETEXPPD(TWO, PD2.evexOnly(), 0x42),
  VGETMANTPS(TWO, PS3.evexOnly(), 0x26),
  VGETMANTPD(TWO, PD3.evexOnly(), 0x26),
  VBLENDMPS(THREE, PS2.evexOnly(), 0x65),
  VBLENDMPD(THREE, PD2.evexOnly(), 0x65),

  VCVTDQ2PS(TWO, PS, 0x5B),
  VCVTTPS2DQ(TWO, D_F3, 0x5B),
  VCVTPS2PD(TWO, new Form(1, 0, 0, 0, 4, Form.Tuple.HALF), 0x5A),
  VCVTPD2PS(TWO, PD, 0x5A),
  VCVTDQ2PD(TWO, D_F3.half(), 0xE6),
  VCVTTPD2DQ(TWO, PD, 0xE6),
  VCVTQQ2PD(TWO, Q_F3.evexOnly(), 0xE6),
  VCVTQQ2PS(TWO, new Form(1, 0, -1, 1, 8, Form.Tuple.FULL), 0x5B),
  VCVTTPD2QQ(TWO, Q.evexOnly(), 0x7A),
  VCVTTPS2QQ(TWO, D.half().evexOnly(), 0x7A),
  VCVTPH2PS(TWO, PS2.half(), 0x13),
  VCVTPS2PH(STORE, PS3.half(), 0x1D),
  /// From a 64-bit register or memory.
  VCVTSI2SD(THREE, new Form(1, 3, 1, 1, 8, Form.Tuple.ELEMENT), 0x2A),
  VCVTSI2SS(THREE, new Form(1, 2, 1, 1, 8, Form.Tuple.ELEMENT), 0x2A),
  /// To a 64-bit register.
  VCVTTSD2SI(TWO, new Form(1, 3, 1, 1, 8, Form.Tuple.ELEMENT), 0x2C),
  VCVTTSS2SI(TWO, new Form(1, 2, 1, 1, 4, Form.Tuple.ELEMENT), 0x2C),

  VPADDD(THREE, D, 0xFE),
  VPADDQ(THREE, Q, 0xD4),
  VPSUBD(THREE, D, 0xFA),
  VPSUBQ(THREE, Q, 0xFB),
  VPMULLD(THREE, PS2, 0x40),
  VPMULLQ(THREE, PD2.evexOnly(), 0x40),
  VPAND(THREE, D, 0xDB),
  VPOR(THREE, D, 0xEB),
  VPXOR(THREE, D, 0xEF),
  VPCMPEQD(THREE, D, 0x76),
  VPCMPEQQ(THREE, PD2.vexW0(), 0x29),
  VPCMPD(THREE, PS3.evexOnly(), 0x1F),
  VPCMPUD(THREE, PS3.evexOnly(), 0x1E),
  VPCMPQ(THREE, PD3.evexOnly(), 0x1F),
  VPCMPUQ(THREE, PD3.evexOnly(), 0x1E),
  VPTESTMD(THREE, PS2.evexOnly(), 0x27),
  VPTESTMQ(THREE, PD2.evexOnly(), 0x27),
  VPMINSD(THREE, PS2, 0x39),
  VPMAXSD(THREE, PS2, 0x3D),
  VPMINSQ(THREE, PD2.evexOnly(), 0x39),
  VPMAXSQ(THREE, PD2.evexOnly(), 0x3D),
  VPMINUD(THREE, PS2, 0x3B),
  VPABSD(TWO, PS2, 0x1E),
  VPABSQ(TWO, PD2.evexOnly(), 0x1F),
  VPSLLD(SECOND_FIRST, D, 0x72, 6),
  VPSRLD(SECOND_FIRST, D, 0x72, 2),
  VPSRAD(SECOND_FIRST, D, 0x72, 4),
  VPSLLQ(SECOND_FIRST, Q, 0x73, 6),
  VPSRLQ(SECOND_FIRST, Q, 0x73, 2),
  VPSRAQ(SECOND_FIRST, Q.evexOnly(), 0x72, 4),
  VPSLLVD(THREE, PS2, 0x47),
  VPSLLVQ(THREE, PD2, 0x47),
  VPSRAVD(THREE, PS2, 0x46),
  VPSRAVQ(THREE, PD2.evexOnly(), 0x46),
  VPACKSSDW(THREE, D, 0x6B),
  VPACKUSDW(THREE, PS2, 0x2B),
  VPACKUSWB(THREE, D, 0x67),
  VPMOVZXBD(TWO, PS2.quarter(), 0x31),
  VPMOVZXBQ(TWO, PS2.eighth(), 0x32),
  VPMOVZXWD(TWO, PS2.half(), 0x33),
  VPMOVSXBD(TWO, PS2.quarter(), 0x21),
  VPMOVSXBQ(TWO, PS2.eighth(), 0x22),
  VPMOVSXWD(TWO, PS2.half(), 0x23),
  VPMOVSXWQ(TWO, PS2.quarter(), 0x24),
  VPMOVSXDQ(TWO, PS2.half(), 0x25),
  VPMOVDB(STORE, F3_2.quarter().evexOnly(), 0x31),
  VPMOVQB(STORE, F3_2.eighth().evexOnly(), 0x32),
  VPMOVDW(STORE, F3_2.half().evexOnly(), 0x33),
  VPMOVQW(STORE, F3_2.quarter().evexOnly(), 0x34),
  VPMOVQD(STORE, F3_2.half().evexOnly(), 0x35),

  VBROADCASTSS(TWO, PS2.element(4), 0x18),
  VBROADCASTSD(TWO, new Form(2, 1, 0, 1, 8, Form.Tuple.ELEMENT), 0x19),
  VPBROADCASTB(TWO, PS2.element(1), 0x78),
  VPBROADCASTW(TWO, PS2.element(2), 0x79),
  VPBROADCASTD(TWO, PS2.element(4), 0x58),
  VPBROADCASTQ(TWO, new Form(2, 1, 0, 1, 8, Form.Tuple.ELEMENT), 0x59),
  /// From a general-purpose register.
  VPBROADCASTD_REGISTER(TWO, PS2.evexOnly(), 0x7C),
  VPBROADCASTQ_REGISTER(TWO, PD2.evexOnly(), 0x7C),
  VUNPCKLPS(THREE, PS, 0x14),
  VUNPCKLPD(THREE, PD, 0x14),
  VUNPCKHPS(THREE, PS, 0x15),
  VUNPCKHPD(THREE, PD, 0x15),
  VSHUFPS(THREE, PS, 0xC6),
  VSHUFPD(THREE, PD, 0xC6),
  VPSHUFD(TWO, D, 0x70),
  VPSHUFB(THREE, PS2, 0x00),
  VPERMPS(THREE, PS2, 0x16),
  VPERMD(THREE, PS2, 0x36),
  VPERMQ(TWO, PD3, 0x00),
  VPERMPD(TWO, PD3, 0x01),
  /// By a vector of numbers.
  VPERMPD_VECTOR(THREE, PD2.evexOnly(), 0x16),
  VPERM2F128(THREE, PS3.vexOnly(), 0x06),
  VPERMI2PS(THREE, PS2.evexOnly(), 0x77),
  VPERMT2PS(THREE, PS2.evexOnly(), 0x7F),
  VPERMI2PD(THREE, PD2.evexOnly(), 0x77),
  VPERMT2PD(THREE, PD2.evexOnly(), 0x7F),
  VALIGND(THREE, PS3.evexOnly(), 0x03),
  VEXTRACTF128(STORE, PS3.element(16).vexOnly(), 0x19),
  VEXTRACTI128(STORE, PS3.element(16).vexOnly(), 0x39),
  VINSERTF128(THREE, PS3.element(16).vexOnly(), 0x18),
  VINSERTI128(THREE, PS3.element(16).vexOnly(), 0x38),
  VEXTRACTF32X4(STORE, PS3.element(16).evexOnly(), 0x19),
  VEXTRACTF64X4(STORE, PD3.element(32).evexOnly(), 0x1B),
  VINSERTF32X4(THREE, PS3.element(16).evexOnly(), 0x18),
  VINSERTF64X4(THREE, PD3.element(32).evexOnly(), 0x1A),
  VSHUFF32X4(THREE, PS3.evexOnly(), 0x23),
  VSHUFF64X2(THREE, PD3.evexOnly(), 0x23),
  VCOMPRESSPS(STORE, PS2.element(4).evexOnly(), 0x8A),
  VEXPANDPS(TWO, PS2.element(4).evexOnly(), 0x88),

  /// Loads the lanes whose sign bit is set in the second operand.
  VMASKMOVPS(THREE, PS2.vexOnly(), 0x2C),
  VMASKMOVPD(THREE, new Form(2, 1, 0, -1, 8, Form.Tuple.FULL), 0x2D),
  VMASKMOVPS_STORE(Operands.MASKED_STORE, PS2.vexOnly(), 0x2E),
  VMASKMOVPD_STORE(Operands.MASKED_STORE, new Form(2, 1, 0, -1, 8, Form.Tuple.FULL), 0x2F),
  /// Gathers clear their mask. The AVX2 form takes it as a third operand.
  VGATHERQPD(Operands.GATHER, PD2.element(8), 0x93),

  KMOVW(REGISTER_FIRST, new Form(1, 0, 0, -1, 2, Form.Tuple.FULL), 0x92),
  KMOVD(REGISTER_FIRST, new Form(1, 3, 0, -1, 4, Form.Tuple.FULL), 0x92),
  KMOVQ(REGISTER_FIRST, new Form(1, 3, 1, -1, 8, Form.Tuple.FULL), 0x92),
  KMOVW_TO(REGISTER_FIRST, new Form(1, 0, 0, -1, 2, Form.Tuple.FULL), 0x93),
  KMOVD_TO(REGISTER_FIRST, new Form(1, 3, 0, -1, 4, Form.Tuple.FULL), 0x93),
  KMOVQ_TO(REGISTER_FIRST, new Form(1, 3, 1, -1, 8, Form.Tuple.FULL), 0x93),
  KMOVW_COPY(REGISTER_FIRST, new Form(1, 0, 0, -1, 2, Form.Tuple.FULL), 0x90),
  KANDW(Operands.MASKS, new Form(1, 0, 0, -1, 2, Form.Tuple.FULL), 0x41),
  KORW(Operands.MASKS, new Form(1, 0, 0, -1, 2, Form.Tuple.FULL), 0x45),
  KXNORW(Operands.MASKS, new Form(1, 0, 0, -1, 2, Form.Tuple.FULL), 0x46),
  KXORW(Operands.MASKS, new Form(1, 0, 0, -1, 2, Form.Tuple.FULL), 0x47),
  KORTESTW(REGISTER_FIRST, new Form(1, 0, 0, -1, 2, Form.Tuple.FULL), 0x98),
  KSHIFTRW(REGISTER_FIRST, new Form(3, 1, 1, -1, 2, Form.Tuple.FULL), 0x30),
  KSHIFTLW(REGISTER_FIRST, new Form(3, 1, 1, -1, 2, Form.Tuple.FULL), 0x32);

  /// Where the operands go.
  enum Operands {
    /// Destination in the register place, source in the memory place.
    TWO,
    /// Source in the register place, destination in the memory place.
    STORE,
    /// Destination, second source, source that may be memory.
    THREE,
    /// As THREE, with the memory as destination: memory, mask, source.
    MASKED_STORE,
    /// Destination in the second place, source in the memory place, digit in the register place.
    SECOND_FIRST,
    /// Destination, memory, and under VEX a mask.
    GATHER,
    /// As TWO, without vectors.
    REGISTER_FIRST,
    /// Three mask registers.
    MASKS
  }

  final Operands operands;
  final Form form;
  final int opcode;
  final int digit;

  Instruction(Operands operands, Form form, int opcode) {
    this(operands, form, opcode, 0);
  }

  Instruction(Operands operands, Form form, int opcode, int digit) {
    this.operands = operands;
    this.form = form;
    this.opcode = opcode;
    this.digit = digit;
  }

  /// The mnemonic in the manual.
  public String mnemonic() {
    String name = name();
    int end = name.indexOf('_');
    return (end < 0 ? name : name.substring(0, end)).toLowerCase(java.util.Locale.ROOT);
  }
}
