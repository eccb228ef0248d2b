package taper.benchmarks.work;

import java.util.StringJoiner;

/// Writes a JSON object, field by field. For one thread.
public final class Json {
  private final StringJoiner fields = new StringJoiner(",", "{", "}");

  /// Adds a text.
  public Json text(String name, String value) {
    return raw(name, "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
  }

  /// Adds a whole number.
  public Json number(String name, long value) {
    return raw(name, Long.toString(value));
  }

  /// Adds a number, with the digits that a measurement is good for, unless it is infinite or none.
  public Json number(String name, double value) {
    return Double.isFinite(value) ? raw(name, Measurement.brief(value)) : this;
  }

  /// Adds what is JSON already.
  public Json raw(String name, String json) {
    fields.add("\"" + name + "\":" + json);
    return this;
  }

  /// The object.
  @Override
  public String toString() {
    return fields.toString();
  }
}
