package taper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// All memory counts: whatever a program asks for, the process has no more than the limit and what the JVM itself needs.
final class MemoryLimitTest {
  private static final long LIMIT = 300L << 10; // in units of 1024 bytes, as all here

  /// What the JVM needs for the code and the classes of two hundred programs, and an idle one does not.
  private static final long CODE_AND_CLASSES = 64L << 10;

  @Test
  @EnabledOnOs(OS.LINUX)
  void programsThatWantMoreThanTheLimitAreRefusedAndTheProcessStaysBelowIt()
      throws IOException, InterruptedException {
    long idle = peak(run("idle"));

    List<String> lines = run();

    assertThat(lines.stream().filter(line -> line.startsWith("WRONG"))).isEmpty();
    assertThat(lines.stream().filter(line -> line.startsWith("REFUSED")))
        .hasSizeGreaterThanOrEqualTo(200);
    assertThat(peak(lines)).isLessThan(idle + LIMIT + CODE_AND_CLASSES);
  }

  private static long peak(List<String> lines) {
    String last = lines.getLast();
    assertThat(last).startsWith("PEAK ");
    return Long.parseLong(last.substring("PEAK ".length()));
  }

  /// What the programs print in a machine of their own, whose heap is small and there from the beginning.
  private static List<String> run(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"));
    command.addAll(List.of("-Dtaper.memory.limit=300m", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(LargePrograms.class.getName());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().toList();
  }
}
