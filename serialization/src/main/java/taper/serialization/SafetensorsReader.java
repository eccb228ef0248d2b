package taper.serialization;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import taper.tensor.MalformedFileException;

/// An open safetensors file whose header has been checked.
///
/// Bytes are read, not mapped: a file that shrinks while it is mapped would take the JVM with it.
final class SafetensorsReader implements AutoCloseable {
  private static final int CHUNK = 1 << 26;

  private final String file;
  private final FileChannel channel;
  private final SafetensorsHeader header;

  private SafetensorsReader(String file, FileChannel channel) throws IOException {
    this.file = file;
    this.channel = channel;
    this.header = readHeader();
  }

  static SafetensorsReader open(Path path) throws IOException {
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      return new SafetensorsReader(path.getFileName().toString(), channel);
    } catch (Throwable e) {
      channel.close();
      throw e;
    }
  }

  SafetensorsHeader header() {
    return header;
  }

  /// Copies the bytes of one tensor, little-endian and row-major, to memory of exactly that size.
  void read(SafetensorsHeader.Entry entry, MemorySegment target) throws IOException {
    long from = header.bodyOffset() + entry.begin();
    for (long done = 0; done < entry.byteSize(); ) {
      long length = Math.min(CHUNK, entry.byteSize() - done);
      ByteBuffer chunk = target.asSlice(done, length).asByteBuffer();
      readFully(chunk, from + done, "the body of tensor '" + entry.name() + "'");
      done += length;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private SafetensorsHeader readHeader() throws IOException {
    long size = channel.size();
    int prefix = SafetensorsHeader.PREFIX;
    if (size < prefix) {
      throw new MalformedFileException(
          "%s: a safetensors file must begin with the 8-byte length of its header, but has only %d bytes."
              .formatted(file, size),
          size);
    }
    ByteBuffer number = ByteBuffer.allocate(prefix).order(ByteOrder.LITTLE_ENDIAN);
    readFully(number, 0, "the length of the header");
    long length = number.getLong(0);
    if (length < 0 || length > SafetensorsHeader.MAX_LENGTH) {
      throw new MalformedFileException(
          "%s: the header must have at most %,d bytes, but its length is given as %s (at byte 0). Is this a safetensors file?"
              .formatted(file, SafetensorsHeader.MAX_LENGTH, Long.toUnsignedString(length)),
          0);
    }
    if (length > size - prefix) {
      throw new MalformedFileException(
          "%s: the header must lie within the file, but its length is given as %,d bytes and only %,d follow (at byte 0). The file was cut off: copy or save it again."
              .formatted(file, length, size - prefix),
          0);
    }
    byte[] text = new byte[(int) length];
    readFully(ByteBuffer.wrap(text), prefix, "the header");
    return SafetensorsHeader.parse(file, text, size - prefix - length);
  }

  private void readFully(ByteBuffer target, long from, String what) throws IOException {
    for (long position = from; target.hasRemaining(); ) {
      int count = channel.read(target, position);
      if (count < 0) {
        throw new MalformedFileException(
            "%s: %s must lie within the file, but the file ended at byte %d while it was read."
                .formatted(file, what, position),
            position);
      }
      position += count;
    }
  }
}
