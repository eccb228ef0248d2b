package taper.serialization;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.MalformedFileException;
import taper.tensor.Tensor;
import taper.tensor.UnsupportedException;

/// Named tensors in safetensors files, as they are exchanged with Hugging Face and PyTorch.
///
/// ```java
/// Safetensors.save(model.stateDict(), Path.of("model.safetensors"));
/// model.loadStateDict(Safetensors.load(Path.of("model.safetensors")));
/// ```
///
/// A file is data only: reading it executes nothing, and a damaged or hostile file ends in an error with
/// the byte at fault. A save replaces the file at once: after a crash or on a full disk the old one is
/// still there. Values come back to the last bit, NaN payloads included.
///
/// - Source: github.com/huggingface/safetensors, README, section "Format"
public final class Safetensors {
  private static final int CHUNK = 1 << 26;

  private Safetensors() {}

  /// All tensors of a file by name, in the order in which its header lists them.
  ///
  /// @throws MalformedFileException if the file is truncated, damaged or of another format
  /// @throws UnsupportedException if a tensor has a type that Taper lacks
  /// @throws ArgumentException if there is no such file
  /// @throws UncheckedIOException if the file cannot be read
  public static Map<String, Tensor> load(Path path) {
    try (var reader = SafetensorsReader.open(path)) {
      Map<String, Tensor> tensors = new LinkedHashMap<>();
      for (var entry : reader.header().entries()) {
        tensors.put(entry.name(), tensor(path, reader, entry));
      }
      return Collections.unmodifiableMap(tensors);
    } catch (IOException e) {
      throw unreadable("load", path, e);
    }
  }

  /// The free texts in a file's header, such as `format`; empty where there are none.
  ///
  /// @throws MalformedFileException if the file is truncated, damaged or of another format
  /// @throws ArgumentException if there is no such file
  /// @throws UncheckedIOException if the file cannot be read
  public static Map<String, String> metadata(Path path) {
    try (var reader = SafetensorsReader.open(path)) {
      Map<String, String> metadata = reader.header().metadata();
      return metadata == null ? Map.of() : metadata;
    } catch (IOException e) {
      throw unreadable("metadata", path, e);
    }
  }

  /// Writes the tensors to a file, with the metadata `format = pt` that Hugging Face's loaders expect.
  ///
  /// Tensors that share memory are written once each.
  ///
  /// @throws ArgumentException if a tensor is called `__metadata__`
  /// @throws UncheckedIOException if the file cannot be written; the old one, if any, is as it was
  public static void save(Map<String, Tensor> tensors, Path path) {
    save(tensors, Map.of("format", "pt"), path);
  }

  /// Writes the tensors and the free texts to a file. The same content gives the same bytes.
  ///
  /// @throws ArgumentException if a tensor is called `__metadata__`
  /// @throws UncheckedIOException if the file cannot be written; the old one, if any, is as it was
  public static void save(Map<String, Tensor> tensors, Map<String, String> metadata, Path path) {
    checkTexts(tensors, metadata);
    Map<String, Tensor> byName = new TreeMap<>(tensors);
    List<SafetensorsHeader.Entry> entries = new ArrayList<>();
    byName.forEach((name, tensor) -> {
      if (SafetensorsHeader.isReserved(name)) {
        throw new ArgumentException(
            "Safetensors.save: a tensor must not be called '%s', but one is: the format keeps its texts there. Rename it."
                .formatted(name));
      }
      long bytes = tensor.numel() * tensor.dtype().byteSize();
      entries.add(
          new SafetensorsHeader.Entry(
              name, StoredType.of(tensor.dtype()), tensor.shape().toList(), 0, bytes));
    });
    SafetensorsHeader header = SafetensorsHeader.of(metadata, entries);
    try {
      AtomicFile.write(
          path,
          channel -> {
            writeFully(channel, ByteBuffer.wrap(header.encode()));
            for (var entry : header.entries()) {
              write(channel, Objects.requireNonNull(byName.get(entry.name())));
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Safetensors.save: %s cannot be written: %s. What was there before is as it was."
              .formatted(path.toAbsolutePath(), reason(e)),
          e);
    }
  }

  /// Checks that everything is there, and that texts can be written: half of a surrogate pair is no character.
  private static void checkTexts(Map<String, Tensor> tensors, Map<String, String> metadata) {
    tensors.forEach((name, tensor) -> {
      checkText("the name of a tensor", name);
      if (tensor == null) {
        throw new ArgumentException(
            "Safetensors.save: every tensor must be given, but '%s' is null.".formatted(name));
      }
    });
    metadata.forEach((key, value) -> {
      checkText("a key of the metadata", key);
      checkText("the text of '%s' in the metadata".formatted(key), value);
    });
  }

  private static void checkText(String what, @Nullable String text) {
    if (text == null) {
      throw new ArgumentException(
          "Safetensors.save: %s must be a text, but is null.".formatted(what));
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      int at = 0;
      while (Character.getType(text.codePointAt(at)) != Character.SURROGATE) {
        at += Character.charCount(text.codePointAt(at));
      }
      throw new ArgumentException(
          "Safetensors.save: %s must be made of characters, but has half of one, \\u%04x, at position %d."
              .formatted(what, (int) text.charAt(at), at));
    }
  }

  private static Tensor tensor(Path path, SafetensorsReader reader, SafetensorsHeader.Entry entry)
      throws IOException {
    DType dtype = entry.type().dtype();
    if (dtype == null) {
      throw new UnsupportedException(
          "Safetensors.load: tensors must be of a type that Taper has, but '%s' in %s is %s. Convert it to F32 or I64 where the file was made."
              .formatted(entry.name(), path.getFileName(), entry.type()));
    }
    long[] shape = entry.shape().stream().mapToLong(Long::longValue).toArray();
    Tensor tensor = Tensor.empty(dtype, shape);
    try {
      if (entry.byteSize() > 0) {
        MemorySegment memory = bytes(tensor, entry.byteSize());
        reader.read(entry, memory);
        if (dtype == DType.BOOL) {
          checkBooleans(path, reader, entry, memory);
        }
      }
    } finally {
      Reference.reachabilityFence(tensor);
    }
    return tensor;
  }

  // Kernels count on 0 and 1; another byte would compute with itself.
  private static void checkBooleans(
      Path path, SafetensorsReader reader, SafetensorsHeader.Entry entry, MemorySegment memory) {
    for (long i = 0; i < memory.byteSize(); i++) {
      byte value = memory.get(ValueLayout.JAVA_BYTE, i);
      if (value != 0 && value != 1) {
        long at = reader.header().bodyOffset() + entry.begin() + i;
        throw new MalformedFileException(
            "%s: the elements of tensor '%s', BOOL, must be 0 or 1, but one is %d (at byte %d)."
                .formatted(path.getFileName(), entry.name(), value & 0xff, at),
            at);
      }
    }
  }

  private static void write(FileChannel channel, Tensor tensor) throws IOException {
    Tensor whole = tensor.detach().contiguous();
    long size = whole.numel() * whole.dtype().byteSize();
    try {
      for (long done = 0; done < size; done += CHUNK) {
        MemorySegment chunk = bytes(whole, size).asSlice(done, Math.min(CHUNK, size - done));
        writeFully(channel, chunk.asByteBuffer());
      }
    } finally {
      Reference.reachabilityFence(whole);
    }
  }

  private static MemorySegment bytes(Tensor tensor, long size) {
    var region = tensor.strided();
    return region.memory().asSlice(region.byteOffset(), size);
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static RuntimeException unreadable(String method, Path path, IOException e) {
    if (e instanceof NoSuchFileException) {
      return new ArgumentException(
          "Safetensors.%s: the file must exist, but there is no %s."
              .formatted(method, path.toAbsolutePath()));
    }
    return new UncheckedIOException(
        "Safetensors.%s: %s cannot be read: %s."
            .formatted(method, path.toAbsolutePath(), reason(e)),
        e);
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "its folder does not exist or takes no files";
    }
    if (e instanceof AccessDeniedException) {
      return "the permission is missing";
    }
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
