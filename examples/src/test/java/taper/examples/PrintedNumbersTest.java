package taper.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Every program prints what its twin in Python prints with PyTorch: the same words and whole numbers, and fractions that
/// differ by at most one in their last digit. The twins and their output lie beside each other in the resources.
final class PrintedNumbersTest {
  private static final Pattern NUMBER = Pattern.compile("-?\\d+\\.?\\d*(e[+-]\\d+)?");

  @TestFactory
  Stream<DynamicTest> programsPrintWhatPyTorchPrints() {
    return Stream.of(
        program("TensorBasics", TensorBasics::main),
        program("AutogradBasics", AutogradBasics::main),
        program("CustomFunction", CustomFunction::main),
        program("LinearRegression", LinearRegression::main),
        program("CharRnn", CharRnn::main),
        program("AttentionFromScratch", AttentionFromScratch::main),
        program("KMeans", KMeans::main),
        program("PcaBySvd", PcaBySvd::main),
        program("Spectrogram", Spectrogram::main),
        program("GaussianProcess", GaussianProcess::main));
  }

  private static DynamicTest program(String name, Consumer<String[]> main) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          String expected = expected(name);

          String actual = output(main);

          assertThat(words(actual)).isEqualTo(words(expected));
          assertNumbersAgree(numbers(actual), numbers(expected));
        });
  }

  private static String expected(String name) throws IOException {
    try (InputStream in = PrintedNumbersTest.class.getResourceAsStream(name + ".txt")) {
      assertThat(in).as("the output of the twin").isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String output(Consumer<String[]> main) {
    var bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      main.accept(new String[0]);
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /// The text with `#` for every number, and without the spaces that align them.
  private static String words(String text) {
    return NUMBER.matcher(text).replaceAll("#").replaceAll(" +", " ").replace("[ ", "[");
  }

  private static List<BigDecimal> numbers(String text) {
    return NUMBER
        .matcher(text)
        .results()
        .map(found -> new BigDecimal(trimmed(found.group())))
        .toList();
  }

  private static String trimmed(String number) {
    return number.endsWith(".") ? number.substring(0, number.length() - 1) : number;
  }

  private static void assertNumbersAgree(List<BigDecimal> actual, List<BigDecimal> expected) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < actual.size(); i++) {
      BigDecimal wanted = expected.get(i);
      assertThat(wanted.subtract(actual.get(i)).abs())
          .as("number %d: PyTorch prints %s, and here it is %s", i, wanted, actual.get(i))
          .isLessThanOrEqualTo(wanted.scale() > 0 ? wanted.ulp() : BigDecimal.ZERO);
    }
  }
}
