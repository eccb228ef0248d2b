package taper.vision;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import taper.tensor.DType;
import taper.tensor.MalformedFileException;

/// What an idx file holds: the format of MNIST and its relatives [1].
///
/// ```
/// 00 00 │ type │ rank │ rank sizes, 32 bits each │ data, row-major       (big-endian throughout)
/// ```
///
/// The sizes come from strangers: memory is taken as data arrives, never for what a header claims.
/// Byte offsets in errors count from the start of the uncompressed content.
///
/// [1] Y. LeCun, "The MNIST database", section "The IDX file format".
///
/// @param dtype the type of the elements
/// @param shape the sizes
/// @param data the elements, row-major, in little-endian order
record IdxContent(DType dtype, long[] shape, byte[] data) {
  private static final int MAX_RANK = 8;
  private static final int MAX_BYTES = Integer.MAX_VALUE - 64;
  private static final int CHUNK = 1 << 20;

  /// Reads a plain or gzip-compressed idx file.
  ///
  /// @param file the name of the file, for messages
  /// @throws MalformedFileException if the content is anything but one whole idx file
  static IdxContent read(String file, InputStream raw) throws IOException {
    var in = new BufferedInputStream(raw, 1 << 16);
    in.mark(2);
    boolean compressed = in.read() == 0x1f && in.read() == 0x8b;
    in.reset();
    Reader reader = new Reader(file);
    try {
      reader.in = compressed ? new GZIPInputStream(in, 1 << 16) : in;
      return reader.content();
    } catch (EOFException | ZipException e) {
      // From the decompressor: our own reads never throw them.
      long at = reader.position;
      throw new MalformedFileException(
          "%s: the compressed data must be whole, but %s (after %,d uncompressed bytes). The file was damaged: download or copy it again."
              .formatted(
                  file,
                  e instanceof EOFException ? "it ends early" : "it is not: " + e.getMessage(),
                  at),
          at,
          e);
    }
  }

  private static final class Reader {
    private final String file;
    private InputStream in = InputStream.nullInputStream();
    private long position;

    Reader(String file) {
      this.file = file;
    }

    IdxContent content() throws IOException {
      byte[] magic = bytes(4, "the magic number");
      if (magic[0] != 0 || magic[1] != 0) {
        throw malformed(
            "an idx file must begin with two zero bytes, but begins with 0x%02x 0x%02x (at byte 0). Is this another format?"
                .formatted(magic[0], magic[1]),
            0);
      }
      DType dtype = dtype(magic[2]);
      int rank = magic[3] & 0xff;
      if (rank == 0 || rank > MAX_RANK) {
        throw malformed(
            "the number of dimensions must be 1 to %d, but is %d (at byte 3)."
                .formatted(MAX_RANK, rank),
            3);
      }
      long[] shape = new long[rank];
      long length = dtype.byteSize();
      for (int dim = 0; dim < rank; dim++) {
        byte[] size = bytes(4, "the size of dimension " + dim);
        shape[dim] =
            (size[0] & 0xffL) << 24
                | (size[1] & 0xff) << 16
                | (size[2] & 0xff) << 8
                | size[3] & 0xff;
        // Saturates: eight sizes of 32 bits may pass 64 bits, and stay too long even if a 0
        // follows.
        boolean tooLong = Math.multiplyHigh(length, shape[dim]) != 0 || length * shape[dim] < 0;
        length = tooLong || length == Long.MAX_VALUE ? Long.MAX_VALUE : length * shape[dim];
      }
      if (length > MAX_BYTES) {
        throw malformed(
            "the data must have at most %,d bytes, but the sizes are %s of %s (at byte 4)."
                .formatted(MAX_BYTES, Arrays.toString(shape), dtype),
            4);
      }
      byte[] data = data((int) length, shape, dtype);
      if (in.read() >= 0) {
        throw malformed(
            "the file must end after %s of %s, but goes on (at byte %d). Is this another format?"
                .formatted(Arrays.toString(shape), dtype, position),
            position);
      }
      reverse(data, dtype.byteSize());
      return new IdxContent(dtype, shape, data);
    }

    private DType dtype(byte code) {
      return switch (code) {
        case 0x08 -> DType.UINT8;
        case 0x09 -> DType.INT8;
        case 0x0B -> DType.INT16;
        case 0x0C -> DType.INT32;
        case 0x0D -> DType.FLOAT32;
        case 0x0E -> DType.FLOAT64;
        default ->
            throw malformed(
                "the type must be one of 0x08, 0x09, 0x0b, 0x0c, 0x0d and 0x0e, but is 0x%02x (at byte 2). Is this another format?"
                    .formatted(code),
                2);
      };
    }

    private byte[] bytes(int count, String what) throws IOException {
      byte[] bytes = in.readNBytes(count);
      position += bytes.length;
      if (bytes.length < count) {
        throw malformed(
            "%s must have %d bytes, but the file ends at byte %d. The file was cut off: download or copy it again."
                .formatted(what, count, position),
            position);
      }
      return bytes;
    }

    private byte[] data(int length, long[] shape, DType dtype) throws IOException {
      byte[] data = new byte[Math.min(length, CHUNK)];
      int filled = 0;
      while (filled < length) {
        if (filled == data.length) {
          data = Arrays.copyOf(data, (int) Math.min(length, 2L * data.length));
        }
        int count = in.read(data, filled, data.length - filled);
        if (count < 0) {
          throw malformed(
              "the data must have %,d bytes, %s of %s, but the file ends after %,d of them (at byte %d). The file was cut off: download or copy it again."
                  .formatted(length, Arrays.toString(shape), dtype, filled, position),
              position);
        }
        filled += count;
        position += count;
      }
      return data;
    }

    private MalformedFileException malformed(String text, long at) {
      return new MalformedFileException(file + ": " + text, at);
    }

    private static void reverse(byte[] data, int size) {
      for (int start = 0; size > 1 && start < data.length; start += size) {
        for (int i = start, j = start + size - 1; i < j; i++, j--) {
          byte swapped = data[i];
          data[i] = data[j];
          data[j] = swapped;
        }
      }
    }
  }
}
