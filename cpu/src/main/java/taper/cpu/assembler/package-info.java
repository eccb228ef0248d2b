/// An assembler for x86-64 vector code, and memory in which that code may run.
///
/// An [taper.cpu.assembler.Assembler] collects instructions, named as in the processor manuals, and
/// turns into [taper.cpu.assembler.Code] once [taper.cpu.assembler.CodeMemory] has taken the bytes.
/// [taper.cpu.assembler.CpuFeatures] says what the processor can do.
package taper.cpu.assembler;
