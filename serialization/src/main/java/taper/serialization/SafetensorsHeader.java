package taper.serialization;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import taper.tensor.MalformedFileException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.json.JsonFactory;

/// The table of contents of a safetensors file [1].
///
/// ```
/// u64 N │ N bytes of JSON: name → dtype, shape, [begin, end) in the body │ body
/// ```
///
/// A file comes from strangers, so everything is checked before anything is believed: the tensors
/// must tile the body exactly, without holes and overlaps, each as long as its shape says. What is
/// allocated while parsing is bounded by the header's own length, which is bounded by the file's.
///
/// [1] safetensors format, github.com/huggingface/safetensors, README, section "Format".
///
/// @param metadata the free texts, or `null` if the file has none
/// @param entries the tensors, in the order in which the header names them
/// @param bodyOffset where the body starts in the file, in bytes
record SafetensorsHeader(
    @Nullable Map<String, String> metadata, List<Entry> entries, long bodyOffset) {
  /// The longest header that the format allows, in bytes.
  static final int MAX_LENGTH = 100_000_000;

  /// Where the header's text starts in the file, in bytes.
  static final int PREFIX = Long.BYTES;

  private static final String METADATA = "__metadata__";
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(MAX_LENGTH)
                  .maxNameLength(MAX_LENGTH)
                  .build())
          .build();

  /// One tensor in the file.
  ///
  /// @param name its name
  /// @param type the type of its elements
  /// @param shape its sizes, row-major
  /// @param begin where its bytes start in the body
  /// @param end where its bytes end in the body
  record Entry(String name, StoredType type, List<Long> shape, long begin, long end) {
    long byteSize() {
      return end - begin;
    }
  }

  /// Reads the text of a header.
  ///
  /// @param file the name of the file, for messages
  /// @param text the bytes between the length and the body
  /// @param bodyLength how many bytes follow the header
  /// @throws MalformedFileException if the header breaks a rule of the format
  static SafetensorsHeader parse(String file, byte[] text, long bodyLength) {
    Parser parser = new Parser(file, text);
    try {
      return parser.parse(bodyLength);
    } catch (JacksonException e) {
      throw parser.notJson(e);
    }
  }

  /// The header of a file that holds these tensors, sorted so that each is aligned to its size.
  static SafetensorsHeader of(Map<String, String> metadata, List<Entry> unplaced) {
    List<Entry> sorted = new ArrayList<>(unplaced);
    sorted.sort(
        Comparator.comparing(Entry::type, Comparator.reverseOrder())
            .thenComparing(Entry::name, SafetensorsHeader::compareAsUtf8));
    List<Entry> placed = new ArrayList<>();
    long offset = 0;
    for (Entry entry : sorted) {
      long end = offset + entry.byteSize();
      placed.add(new Entry(entry.name, entry.type, entry.shape, offset, end));
      offset = end;
    }
    return new SafetensorsHeader(new TreeMap<>(metadata), List.copyOf(placed), 0);
  }

  /// The length and the text, padded so that the body starts at a multiple of eight.
  byte[] encode() {
    var out = new ByteArrayOutputStream();
    out.writeBytes(new byte[PREFIX]);
    try (var json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject();
      if (metadata != null && !metadata.isEmpty()) {
        json.writeObjectPropertyStart(METADATA);
        metadata.forEach(json::writeStringProperty);
        json.writeEndObject();
      }
      for (Entry entry : entries) {
        json.writeObjectPropertyStart(entry.name);
        json.writeStringProperty("dtype", entry.type.name());
        json.writeArrayPropertyStart("shape");
        entry.shape.forEach(json::writeNumber);
        json.writeEndArray();
        json.writeArrayPropertyStart("data_offsets");
        json.writeNumber(entry.begin);
        json.writeNumber(entry.end);
        json.writeEndArray();
        json.writeEndObject();
      }
      json.writeEndObject();
    }
    while (out.size() % 8 != 0) {
      out.write(' ');
    }
    byte[] bytes = out.toByteArray();
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(0, bytes.length - (long) PREFIX);
    return bytes;
  }

  static boolean isReserved(String name) {
    return name.equals(METADATA);
  }

  // UTF-16 puts surrogates below some characters that UTF-8 puts them above.
  private static int compareAsUtf8(String a, String b) {
    return Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8));
  }

  /// Walks the JSON once. It never descends deeper than the format does.
  private static final class Parser {
    // Jackson goes on with what it expected and with locations of its own.
    private static final Pattern FIRST_CLAUSE =
        Pattern.compile("(: was expecting| \\(start marker|: expected|: enable).*", Pattern.DOTALL);

    private final String file;
    private final byte[] text;
    private final JsonParser json;

    Parser(String file, byte[] text) {
      this.file = file;
      this.text = text;
      this.json = JSON.createParser(ObjectReadContext.empty(), text);
    }

    SafetensorsHeader parse(long bodyLength) {
      if (text.length == 0 || text[0] != '{') {
        throw malformed(
            0,
            "the header must start with '{'",
            text.length == 0 ? "it is empty" : "starts with byte " + hex(text[0]));
      }
      checkUtf8();
      Map<String, String> metadata = null;
      boolean metadataSeen = false;
      Map<String, Entry> entries = new LinkedHashMap<>();
      IdentityHashMap<Entry, Long> places = new IdentityHashMap<>();
      next(); // the brace seen above
      while (next() == JsonToken.PROPERTY_NAME) {
        long at = offset();
        String name = json.currentName();
        if (name.equals(METADATA)) {
          if (metadataSeen) {
            throw duplicate(at, name, "the header");
          }
          metadataSeen = true;
          metadata = metadata();
        } else {
          if (!UTF_8.newEncoder().canEncode(name)) {
            throw malformed(at, "names must be Unicode", "one has half a surrogate pair");
          }
          Entry entry = entry(name);
          if (entries.put(name, entry) != null) {
            throw duplicate(at, name, "the header");
          }
          places.put(entry, at);
        }
      }
      JsonToken after = next();
      if (after != null) {
        throw malformed(offset(), "only spaces may follow the header's last brace", found(after));
      }
      checkTiling(List.copyOf(entries.values()), places, bodyLength);
      return new SafetensorsHeader(
          metadata, List.copyOf(entries.values()), PREFIX + (long) text.length);
    }

    private @Nullable Map<String, String> metadata() {
      JsonToken start = next();
      if (start == JsonToken.VALUE_NULL) {
        return null;
      }
      expect(start, JsonToken.START_OBJECT, METADATA + " must be an object of texts");
      Map<String, String> texts = new LinkedHashMap<>();
      while (next() == JsonToken.PROPERTY_NAME) {
        long at = offset();
        String key = json.currentName();
        JsonToken value = next();
        expect(
            value,
            JsonToken.VALUE_STRING,
            "the value of " + quoted(key) + " in " + METADATA + " must be a text");
        if (texts.put(key, json.getString()) != null) {
          throw duplicate(at, key, METADATA);
        }
      }
      return Collections.unmodifiableMap(texts);
    }

    private Entry entry(String name) {
      long start = offset();
      expect(next(), JsonToken.START_OBJECT, tensor(name) + " must be an object");
      StoredType type = null;
      List<Long> shape = null;
      List<Long> range = null;
      Set<String> seen = new LinkedHashSet<>();
      while (next() == JsonToken.PROPERTY_NAME) {
        long at = offset();
        String key = json.currentName();
        if (!seen.add(key)) {
          throw duplicate(at, key, tensor(name));
        }
        switch (key) {
          case "dtype" -> type = type(name);
          case "shape" -> shape = sizes("the sizes of " + tensor(name));
          case "data_offsets" -> {
            range = sizes("the offsets of " + tensor(name));
            if (range.size() != 2) {
              throw malformed(
                  at,
                  "the offsets of " + tensor(name) + " must be [begin, end]",
                  "there are " + range.size());
            }
          }
          default -> {
            next();
            json.skipChildren();
          }
        }
      }
      if (type == null || shape == null || range == null) {
        throw malformed(
            start,
            tensor(name) + " must have dtype, shape and data_offsets",
            seen.isEmpty() ? "has nothing" : "has only " + String.join(", ", seen));
      }
      Entry entry = new Entry(name, type, shape, range.get(0), range.get(1));
      checkLength(entry, start);
      return entry;
    }

    private StoredType type(String name) {
      expect(next(), JsonToken.VALUE_STRING, "the dtype of " + tensor(name) + " must be a text");
      long at = offset();
      String text = json.getString();
      StoredType type = StoredType.named(text);
      if (type == null) {
        throw malformed(
            at,
            "the dtype of " + tensor(name) + " must be one of the format's",
            "is " + quoted(text));
      }
      return type;
    }

    private List<Long> sizes(String what) {
      expect(next(), JsonToken.START_ARRAY, what + " must be a list of whole numbers");
      List<Long> sizes = new ArrayList<>();
      for (JsonToken token = next(); token != JsonToken.END_ARRAY; token = next()) {
        expect(token, JsonToken.VALUE_NUMBER_INT, what + " must be whole numbers");
        long value;
        try {
          value = json.getLongValue();
        } catch (InputCoercionException _) {
          throw malformed(
              offset(),
              what + " must be below 2⁶³",
              "one has " + json.getStringLength() + " digits");
        }
        if (value < 0) {
          throw malformed(offset(), what + " must not be negative", "one is " + value);
        }
        sizes.add(value);
      }
      return List.copyOf(sizes);
    }

    private void checkLength(Entry entry, long at) {
      long bits = entry.type.bits();
      long strideable = 1;
      try {
        for (long size : entry.shape) {
          bits = Math.multiplyExact(bits, size);
          strideable = Math.multiplyExact(strideable, Math.max(size, 1));
        }
      } catch (ArithmeticException _) {
        throw malformed(
            at,
            tensor(entry.name) + " must have fewer than 2⁶³ bits",
            "its shape is " + entry.shape);
      }
      if (bits % 8 != 0) {
        throw malformed(
            at,
            tensor(entry.name) + " must fill whole bytes",
            entry.shape + " elements of " + entry.type + " are " + bits + " bits");
      }
      if (entry.end < entry.begin) {
        throw malformed(
            at,
            tensor(entry.name) + " must begin before it ends",
            "its offsets are [%d, %d]".formatted(entry.begin, entry.end));
      }
      if (entry.end - entry.begin != bits / 8) { // both are at least 0: no overflow
        throw malformed(
            at,
            "%s, %s %s, must take %,d bytes"
                .formatted(tensor(entry.name), entry.type, entry.shape, bits / 8),
            "its offsets [%d, %d] span %,d"
                .formatted(entry.begin, entry.end, entry.end - entry.begin));
      }
    }

    private void checkTiling(
        List<Entry> entries, IdentityHashMap<Entry, Long> places, long bodyLength) {
      List<Entry> sorted = new ArrayList<>(entries);
      sorted.sort(Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end));
      long covered = 0;
      String before = "the body starts";
      for (Entry entry : sorted) {
        if (entry.begin != covered) {
          throw malformed(
              places.getOrDefault(entry, 0L),
              "%s must begin at %d, where %s".formatted(tensor(entry.name), covered, before),
              "begins at %d, which %s"
                  .formatted(
                      entry.begin,
                      entry.begin < covered
                          ? "overlaps"
                          : "leaves %,d bytes that belong to no tensor"
                              .formatted(entry.begin - covered)));
        }
        covered = entry.end;
        before = tensor(entry.name) + " ends";
      }
      if (covered != bodyLength) {
        throw new MalformedFileException(
            "%s: the body must be as long as the tensors in it, %,d bytes, but is %,d bytes (from byte %d on). %s"
                .formatted(
                    file,
                    covered,
                    bodyLength,
                    PREFIX + (long) text.length,
                    covered > bodyLength
                        ? "The file was cut off: copy or save it again."
                        : "Something was appended to the file."),
            PREFIX + text.length + Math.min(covered, bodyLength));
      }
    }

    private void checkUtf8() {
      var decoder =
          UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT);
      ByteBuffer in = ByteBuffer.wrap(text);
      CharBuffer scratch = CharBuffer.allocate(8192);
      CoderResult result;
      do {
        scratch.clear();
        result = decoder.decode(in, scratch, true);
      } while (result.isOverflow());
      if (result.isError()) {
        throw malformed(
            in.position(),
            "the header must be UTF-8",
            "byte " + hex(text[in.position()]) + " is not");
      }
    }

    private @Nullable JsonToken next() {
      return json.nextToken();
    }

    private MalformedFileException notJson(JacksonException e) {
      long at =
          Math.max(
              0,
              Math.min(e.getLocation() == null ? 0 : e.getLocation().getByteOffset(), text.length));
      return malformed(
          at,
          "the header must be JSON",
          "is not: " + FIRST_CLAUSE.matcher(e.getOriginalMessage()).replaceAll(""));
    }

    private void expect(@Nullable JsonToken token, JsonToken wanted, String rule) {
      if (token != wanted) {
        throw malformed(offset(), rule, found(token));
      }
    }

    private static String found(@Nullable JsonToken token) {
      return switch (token) {
        case null -> "the header ends";
        case START_OBJECT -> "there is an object";
        case START_ARRAY -> "there is a list";
        case VALUE_STRING -> "there is a text";
        case VALUE_NUMBER_INT -> "there is a whole number";
        case VALUE_NUMBER_FLOAT -> "there is a number with a fraction";
        default -> "there is " + token.asString();
      };
    }

    private long offset() {
      return Math.max(0, json.currentTokenLocation().getByteOffset());
    }

    private MalformedFileException duplicate(long at, String key, String where) {
      return malformed(
          at, "each key of " + where + " must be there once", quoted(key) + " is there twice");
    }

    private MalformedFileException malformed(long at, String rule, String fact) {
      long byteOffset = PREFIX + at;
      return new MalformedFileException(
          "%s: %s, but %s (at byte %d).".formatted(file, rule, fact, byteOffset), byteOffset);
    }

    private static String tensor(String name) {
      return "tensor " + quoted(name);
    }

    /// The name in quotes, cut where a hostile file would flood the message.
    private static String quoted(String name) {
      return name.length() <= 200 ? "'" + name + "'" : "'" + name.substring(0, 200) + "…'";
    }

    private static String hex(byte value) {
      return "0x%02x".formatted(value);
    }
  }
}
