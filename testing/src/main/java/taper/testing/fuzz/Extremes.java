package taper.testing.fuzz;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Finds numbers in the text of a call beyond which floating values say little: the reference computes in double precision, and
/// a narrower type overflows or cancels on the way.
final class Extremes {
  private static final Pattern NUMBER =
      Pattern.compile("(?<![\\w.])-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?|NaN|Infinity|extreme");

  private Extremes() {}

  static boolean in(String text) {
    return NUMBER
        .matcher(text.replace("..", " "))
        .results()
        .map(MatchResult::group)
        .anyMatch(Extremes::isExtreme);
  }

  private static boolean isExtreme(String word) {
    if (!Character.isDigit(word.charAt(word.length() - 1))) {
      return true;
    }
    double value = Math.abs(Double.parseDouble(word));
    return value > 900 || value != 0 && value < 1e-12;
  }
}
