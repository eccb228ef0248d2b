package taper.cpu.assembler;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Kernels by a small number: a look-up is one load. Threads may share it; [Code] is immutable, so a racy
/// read sees all of it or null.
public final class CodeTable {
  private final @Nullable Code[] codes;

  /// A table for the numbers below `size`.
  public CodeTable(int size) {
    codes = new Code[size];
  }

  /// The kernel under `key`, or null.
  public @Nullable Code find(int key) {
    return codes[key];
  }

  /// The kernel under `key`, made now if it is missing.
  public synchronized Code add(int key, Supplier<Code> make) {
    Code code = codes[key];
    if (code == null) {
      code = make.get();
      codes[key] = code;
    }
    return code;
  }
}
