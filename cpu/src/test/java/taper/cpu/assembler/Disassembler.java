package taper.cpu.assembler;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// `objdump` of the binutils, where it is installed.
final class Disassembler {
  record Line(int length, String text) {}

  private Disassembler() {}

  static boolean isInstalled() {
    try {
      Process process =
          new ProcessBuilder("objdump", "--version").redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  static List<Line> decode(byte[] code) {
    try {
      Path file = Files.createTempFile("code", ".bin");
      try {
        Files.write(file, code);
        Process process =
            new ProcessBuilder(
                    "objdump",
                    "-D",
                    "-b",
                    "binary",
                    "-m",
                    "i386:x86-64",
                    "-M",
                    "intel",
                    "-w",
                    "--insn-width=16",
                    file.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output
            .lines()
            .filter(line -> line.matches("^ *[0-9a-f]+:\t.*"))
            .map(line -> {
              String[] parts = line.split("\t", 3);
              int length = parts[1].trim().split(" +").length;
              return new Line(length, parts.length > 2 ? parts[2].trim() : "");
            })
            .toList();
      } finally {
        Files.delete(file);
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
