package taper.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.Generator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Replays every order that was recorded with PyTorch's loaders and samplers.
class GoldenOrdersTest {
  static Stream<JsonNode> cases() {
    try (InputStream in =
        new GZIPInputStream(
            GoldenOrdersTest.class.getResourceAsStream("/golden/rng/loader.json.gz"))) {
      List<JsonNode> cases = new ArrayList<>();
      JsonMapper.shared().readTree(in).get("cases").forEach(cases::add);
      return cases.stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("cases")
  void orderIsThatOfPyTorch(JsonNode recorded) {
    String id = recorded.get("id").asString();
    Generator generator = new Generator(recorded.get("seed").asLong());

    switch (recorded.get("kind").asString()) {
      case "DataLoader(shuffle=True, generator)" -> {
        RandomSampler sampler = new RandomSampler(count(recorded), o -> o.generator(generator));
        compareEpochs(recorded, sampler, generator);
      }
      case "DataLoader(shuffle=True) after manual_seed" ->
          withGlobalGenerator(
              recorded,
              global -> compareEpochs(recorded, new RandomSampler(count(recorded)), global));
      case "DataLoader(shuffle=False) after manual_seed (still advances the global generator)" ->
          withGlobalGenerator(
              recorded,
              global -> compareEpochs(recorded, new SequentialSampler(count(recorded)), global));
      case "RandomSampler" -> {
        JsonNode samples = recorded.get("num_samples");
        RandomSampler sampler =
            new RandomSampler(
                count(recorded),
                o ->
                    (samples.isNull() ? o : o.numSamples(samples.asLong()))
                        .replacement(recorded.get("replacement").asBoolean())
                        .generator(generator));
        assertThat(sampler).as(id).containsExactlyElementsOf(longs(recorded.get("order")));
      }
      case "SubsetRandomSampler" ->
          assertThat(new SubsetRandomSampler(array(recorded.get("indices")), generator))
              .as(id)
              .containsExactlyElementsOf(longs(recorded.get("order")));
      case "WeightedRandomSampler" ->
          assertThat(
                  new WeightedRandomSampler(
                      recorded
                          .get("weights")
                          .valueStream()
                          .mapToDouble(JsonNode::asDouble)
                          .toArray(),
                      recorded.get("num_samples").asInt(),
                      o ->
                          o.replacement(recorded.get("replacement").asBoolean())
                              .generator(generator)))
              .as(id)
              .containsExactlyElementsOf(longs(recorded.get("order")));
      case "BatchSampler(RandomSampler)" ->
          assertThat(
                  new BatchSampler(
                      new RandomSampler(count(recorded), o -> o.generator(generator)),
                      recorded.get("batch_size").asInt(),
                      recorded.get("drop_last").asBoolean()))
              .as(id)
              .containsExactlyElementsOf(arrays(recorded.get("order")));
      case "random_split" -> compareSplit(recorded, generator);
      case "DistributedSampler" -> compareReplicas(recorded);
      default -> throw new AssertionError(recorded);
    }
  }

  /// Reads the batches of every epoch as PyTorch's loader does, which draws a base seed first.
  private static void compareEpochs(JsonNode recorded, Sampler<Long> sampler, Generator generator) {
    BatchSampler batches =
        new BatchSampler(
            sampler,
            recorded.get("batch_size").asInt(),
            recorded.path("drop_last").asBoolean(false));
    for (JsonNode epoch : recorded.get("epochs")) {
      generator.nextSeed();

      assertThat(batches).as("%s", recorded).containsExactlyElementsOf(arrays(epoch));
      assertThat(batches.size()).isEqualTo(epoch.size());
    }
  }

  private static void withGlobalGenerator(JsonNode recorded, Consumer<Generator> test) {
    Generator global = Generator.global();
    synchronized (global) {
      try (Generator.Fork _ = global.fork()) {
        global.manualSeed(recorded.get("seed").asLong());

        test.accept(global);

        JsonNode after = recorded.get("state_after");
        assertThat(sha256(global.state())).isEqualTo(after.get("state_sha256").asString());
      }
    }
  }

  private static void compareSplit(JsonNode recorded, Generator generator) {
    JsonNode lengths = recorded.get("lengths");
    Dataset<Long> numbers = new Numbers(count(recorded));
    boolean fractions = lengths.get(0).isFloatingPointNumber();

    List<Subset<Long>> parts =
        fractions
            ? Subset.randomSplit(
                numbers, lengths.valueStream().mapToDouble(JsonNode::asDouble).toArray(), generator)
            : Subset.randomSplit(numbers, array(lengths), generator);

    assertThat(parts.stream().map(Subset::indices).toList())
        .as("%s", recorded)
        .containsExactlyElementsOf(arrays(recorded.get("subsets")));
  }

  private static void compareReplicas(JsonNode recorded) {
    int replicas = recorded.get("num_replicas").asInt();
    for (JsonNode epoch : recorded.get("epochs")) {
      for (int rank = 0; rank < replicas; rank++) {
        DistributedSampler sampler =
            new DistributedSampler(
                count(recorded),
                replicas,
                rank,
                o ->
                    o.shuffle(recorded.get("shuffle").asBoolean())
                        .seed(recorded.get("seed").asLong())
                        .dropLast(recorded.get("drop_last").asBoolean()));
        sampler.epoch(epoch.get("epoch").asLong());

        List<Long> expected = longs(epoch.get("ranks").get(rank));
        assertThat(sampler).as("%s", recorded).containsExactlyElementsOf(expected);
        assertThat(sampler.size()).isEqualTo(expected.size());
      }
    }
  }

  private record Numbers(long size) implements Dataset<Long> {
    @Override
    public Long get(long index) {
      return index;
    }
  }

  private static long count(JsonNode recorded) {
    return recorded.get("n").asLong();
  }

  private static long[] array(JsonNode node) {
    return node.valueStream().mapToLong(JsonNode::asLong).toArray();
  }

  private static List<Long> longs(JsonNode node) {
    return node.valueStream().map(JsonNode::asLong).toList();
  }

  private static List<long[]> arrays(JsonNode node) {
    return node.valueStream().map(GoldenOrdersTest::array).toList();
  }

  private static String sha256(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
