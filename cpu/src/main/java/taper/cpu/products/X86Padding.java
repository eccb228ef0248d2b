package taper.cpu.products;

import java.util.List;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Range;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.tensor.Padding.Border;
import taper.tensor.Padding.Constant;
import taper.tensor.Padding.Edge;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Borders around planes of `float32` or `float64`, in assembled code; see [PlaneCopy].
///
/// The image is copied into place, all planes at once. A border of its own elements is copied column by column beside it,
/// then row by row above and below. What pads other dimensions than the last two is left to the plain kernel.
public final class X86Padding {
  /// So many elements are worth handing to another thread.
  private static final long GRAIN = 1 << 16;

  private X86Padding() {}

  /// The kernel of a border of one value.
  public static Kernel constant(Isa isa, Kernel plain) {
    return (attributes, out, in) -> {
      var a = (Constant) attributes;
      if (out[0].numel() == 0 || in[0].numel() == 0 || a.pad().size() > 4 || a.pad().isEmpty()) {
        plain.run(attributes, out, in);
        return;
      }
      Planes planes = Planes.of(isa, out[0], in[0], a.pad());
      planes.run((from, to) -> {
        planes.fill(from, to, a.value());
        planes.center(from, to);
      });
    };
  }

  /// The kernel of a border of the image's own elements.
  public static Kernel border(Isa isa, Kernel plain) {
    return (attributes, out, in) -> {
      var a = (Border) attributes;
      if (out[0].numel() == 0 || a.pad().size() > 4 || a.pad().stream().anyMatch(p -> p < 0)) {
        plain.run(attributes, out, in);
        return;
      }
      Planes planes = Planes.of(isa, out[0], in[0], a.pad());
      planes.run((from, to) -> {
        planes.center(from, to);
        planes.sides(from, to, a.edge());
        planes.endsOf(from, to, a.edge());
      });
    };
  }

  /// The planes of both operands; `top` and `left` are rows and columns before the image, or cut off from it if negative.
  private record Planes(
      Lanes lanes, long y, long x, long count, int h, int w, int oh, int ow, int top, int left) {

    static Planes of(Isa isa, Strided out, Strided in, List<Long> pad) {
      int rank = in.rank();
      int h = rank < 2 ? 1 : Math.toIntExact(in.size(rank - 2));
      int w = Math.toIntExact(in.size(rank - 1));
      int oh = rank < 2 ? 1 : Math.toIntExact(out.size(rank - 2));
      int ow = Math.toIntExact(out.size(rank - 1));
      return new Planes(
          new Lanes(isa, in.dtype().byteSize()),
          out.address(),
          in.address(),
          in.numel() / h / w,
          h,
          w,
          oh,
          ow,
          pad.size() < 3 ? 0 : Math.toIntExact(pad.get(2)),
          Math.toIntExact(pad.get(0)));
    }

    void run(Range body) {
      Parallel.run(count, Math.max(1, GRAIN / ((long) oh * ow)), body);
    }

    private long bytes(long elements) {
      return elements * lanes.bytes();
    }

    void fill(long from, long to, double value) {
      long start = y + bytes(from * oh * ow);
      long all = bytes((to - from) * oh * ow);
      if (value == 0 && 1 / value > 0) {
        Raw.clear(start, all);
        return;
      }
      if (lanes.wide()) {
        Raw.put(start, value);
      } else {
        Raw.put(start, (float) value);
      }
      for (long done = lanes.bytes(); done < all; done *= 2) {
        Raw.copy(start, start + done, Math.min(done, all - done));
      }
    }

    private void fromImage(
        long planesFrom,
        long planesTo,
        int row,
        int column,
        int toRow,
        int toColumn,
        int rows,
        int columns) {
      PlaneCopy.run(
          Scratch.ofThread().address(Use.ARGUMENTS, 4096),
          lanes,
          false,
          x + bytes((planesFrom * h + row) * w + column),
          bytes(w),
          bytes((long) h * w),
          y + bytes((planesFrom * oh + toRow) * ow + toColumn),
          bytes(ow),
          bytes((long) oh * ow),
          columns,
          rows,
          planesTo - planesFrom);
    }

    void center(long from, long to) {
      int row = Math.max(-top, 0);
      int column = Math.max(-left, 0);
      int toRow = Math.max(top, 0);
      int toColumn = Math.max(left, 0);
      int rows = Math.min(h - row, oh - toRow);
      int columns = Math.min(w - column, ow - toColumn);
      if (rows > 0 && columns > 0) {
        fromImage(from, to, row, column, toRow, toColumn, rows, columns);
      }
    }

    void sides(long from, long to, Edge edge) {
      for (int o = 0; o < ow; o++) {
        if (o < left || o >= left + w) {
          fromImage(from, to, 0, source(edge, o - left, w), top, o, h, 1);
        }
      }
    }

    void endsOf(long from, long to, Edge edge) {
      for (int o = 0; o < oh; o++) {
        if (o >= top && o < top + h) {
          continue;
        }
        int row = top + source(edge, o - top, h);
        PlaneCopy.run(
            Scratch.ofThread().address(Use.ARGUMENTS, 4096),
            lanes,
            false,
            y + bytes((from * oh + row) * ow),
            bytes(ow),
            bytes((long) oh * ow),
            y + bytes((from * oh + o) * ow),
            bytes(ow),
            bytes((long) oh * ow),
            ow,
            1,
            to - from);
      }
    }

    private static int source(Edge edge, int i, int size) {
      return switch (edge) {
        case REPLICATE -> Math.clamp(i, 0, size - 1);
        case CIRCULAR -> Math.floorMod(i, size);
        case REFLECT -> Math.abs(i) < size ? Math.abs(i) : 2 * (size - 1) - Math.abs(i);
      };
    }
  }
}
