package taper.cpu.assembler;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Code that is assembled when it is first wanted, and sought again later where there was no memory for it: what a static
/// field cannot do, whose class would be lost. Threads may share it; [Code] is immutable, so a racy read sees all of it or
/// null.
public final class LazyCode {
  private final Supplier<Code> make;
  private @Nullable Code code;

  /// The code that `make` assembles.
  public LazyCode(Supplier<Code> make) {
    this.make = make;
  }

  /// The code.
  ///
  /// @throws CodeMemory.UnavailableException if there is no memory for it
  public Code get() {
    Code known = code;
    return known != null ? known : assemble();
  }

  private synchronized Code assemble() {
    Code known = code;
    if (known == null) {
      known = make.get();
      code = known;
    }
    return known;
  }
}
