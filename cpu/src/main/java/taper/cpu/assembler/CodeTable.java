package taper.cpu.assembler;

import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Kernels by a number: a look-up is two loads. Numbers may lie far apart, since memory is taken for those that are near
/// one in use only. Threads may share it; [Code] is immutable, so a racy read sees all of it or null.
public final class CodeTable {
  private static final int PAGE_BITS = 7;
  private static final int PAGE = 1 << PAGE_BITS;
  private static final @Nullable Code[] EMPTY = new Code[PAGE];

  private final @Nullable Code[][] pages;

  /// A table for the numbers below `size`.
  public CodeTable(int size) {
    pages = new Code[Math.ceilDiv(size, PAGE)][];
    Arrays.fill(pages, EMPTY);
  }

  /// The kernel under `key`, or null.
  public @Nullable Code find(int key) {
    return pages[key >> PAGE_BITS][key & PAGE - 1];
  }

  /// The kernel under `key`, made now if it is missing.
  public synchronized Code add(int key, Supplier<Code> make) {
    Code code = find(key);
    if (code == null) {
      code = make.get();
      int page = key >> PAGE_BITS;
      if (pages[page] == EMPTY) {
        pages[page] = new Code[PAGE];
      }
      pages[page][key & PAGE - 1] = code;
    }
    return code;
  }
}
