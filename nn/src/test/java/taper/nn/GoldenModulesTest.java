package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Calls layers and losses with PyTorch's weights and inputs, and compares outputs, gradients and buffers.
final class GoldenModulesTest {

  /// A case that prints as its id.
  record Named(JsonNode node, GoldenTensors tensors) {
    @Override
    public String toString() {
      return node.get("id").asString();
    }
  }

  static Stream<Named> cases() {
    return Stream.of("common_nn_00", "module_info_00", "own_00", "functional_00", "sequences_00")
        .flatMap(name -> {
          var tensors = new GoldenTensors("modules/" + name);
          return Golden.cases("modules/" + name).stream().map(c -> new Named(c, tensors));
        });
  }

  @ParameterizedTest
  @MethodSource("cases")
  void layersComputeWhatPyTorchComputes(Named named) {
    new Case(named.node(), named.tensors()).run();
  }

  private record Case(JsonNode c, GoldenTensors tensors) {

    void run() {
      Module module = GoldenLayers.build(c, tensors);
      var state = new LinkedHashMap<String, Tensor>();
      c.get("state_dict")
          .propertyStream()
          .forEach(e -> state.put(e.getKey(), tensors.get(e.getValue())));
      state.values().stream()
          .filter(t -> t.dtype().isFloatingPoint())
          .findFirst()
          .ifPresent(t -> module.to(t.dtype()));
      module.loadStateDict(state);
      module.train(c.get("training").asBoolean());

      List<Tensor> inputs = inputs(c);
      if (c.has("seed")) {
        Tensor.manualSeed(c.get("seed").asLong());
      }
      List<@Nullable Tensor> outputs = call(module, inputs);
      List<@Nullable JsonNode> expected = outputs(c.get("output"));
      for (int o = 0; o < expected.size(); o++) {
        JsonNode reference = expected.get(o);
        Tensor output = outputs.get(o);
        if (reference == null) {
          assertThat(output).as("output %d", o).isNull();
        } else {
          compare("output " + o, output, reference);
        }
      }
      gradients(module, inputs, outputs);
      buffers(module, c.get("buffers_after"));
      if (c.has("more_steps")) {
        for (JsonNode step : c.get("more_steps")) {
          compare(
              "output of a further step",
              call(module, List.of(tensors.get(step.get("input")))).getFirst(),
              step.get("output"));
          buffers(module, step.get("buffers"));
        }
      }
    }

    private List<Tensor> inputs(JsonNode c) {
      var inputs = new ArrayList<Tensor>();
      var references = new ArrayList<JsonNode>();
      c.get("inputs").forEach(references::add);
      if (references.isEmpty()) {
        references.add(c.get("input_kwargs").get("input"));
      }
      for (JsonNode reference : references) {
        for (JsonNode part :
            reference.has("$tuple") ? reference.get("$tuple") : List.of(reference)) {
          if (!part.has("$packed") && !part.isNull()) {
            Tensor input = tensors.get(part);
            inputs.add(part.has("rg") ? input.requiresGrad_() : input);
          }
        }
      }
      if (c.has("aliases")) {
        for (JsonNode pair : c.get("aliases")) {
          inputs.set(pair.get(1).asInt(), inputs.get(pair.get(0).asInt()));
        }
      }
      return inputs;
    }

    private List<@Nullable Tensor> call(Module module, List<Tensor> in) {
      JsonNode x = c.get("inputs").get(0);
      PackedSequence packed =
          x != null && x.has("$packed") ? GoldenSequences.packed(x, tensors) : null;
      List<@Nullable Tensor> sequences =
          GoldenSequences.call(module, in, packed, c.get("input_kwargs"), tensors);
      if (sequences != null) {
        return sequences;
      }
      return switch (module) {
        case MultiheadAttention attention -> {
          var result = attention.call(in.get(0), in.get(1), in.get(2), this::masks);
          var list = new ArrayList<@Nullable Tensor>();
          list.add(result.output());
          list.add(result.weights());
          yield list;
        }
        case Loss loss -> List.of(loss.call(in.get(0), in.get(1)));
        case EmbeddingBag bag ->
            List.of(
                in.size() == 1
                    ? bag.call(in.getFirst())
                    : bag.call(in.get(0), in.get(1), in.size() > 2 ? in.get(2) : null));
        case Bilinear bilinear -> List.of(bilinear.call(in.get(0), in.get(1)));
        case CosineSimilarity cosine -> List.of(cosine.call(in.get(0), in.get(1)));
        case PairwiseDistance distance -> List.of(distance.call(in.get(0), in.get(1)));
        case CosineEmbeddingLoss loss -> List.of(loss.call(in.get(0), in.get(1), in.get(2)));
        case MarginRankingLoss loss -> List.of(loss.call(in.get(0), in.get(1), in.get(2)));
        case GaussianNLLLoss loss -> List.of(loss.call(in.get(0), in.get(1), in.get(2)));
        case TripletMarginLoss loss -> List.of(loss.call(in.get(0), in.get(1), in.get(2)));
        case CTCLoss loss -> List.of(loss.call(in.get(0), in.get(1), in.get(2), in.get(3)));
        default -> List.of(module.call(in.getFirst()));
      };
    }

    private MultiheadAttention.Masks masks(MultiheadAttention.Masks start) {
      JsonNode k = c.get("input_kwargs");
      if (k == null) {
        return start;
      }
      MultiheadAttention.Masks masks = start;
      if (k.has("attn_mask") && !k.get("attn_mask").isNull()) {
        masks = masks.attnMask(tensors.get(k.get("attn_mask")));
      }
      if (k.has("key_padding_mask") && !k.get("key_padding_mask").isNull()) {
        masks = masks.keyPaddingMask(tensors.get(k.get("key_padding_mask")));
      }
      if (k.has("need_weights")) {
        masks = masks.needWeights(k.get("need_weights").asBoolean());
      }
      return k.has("average_attn_weights")
          ? masks.averageAttnWeights(k.get("average_attn_weights").asBoolean())
          : masks;
    }

    private static List<@Nullable JsonNode> outputs(JsonNode output) {
      var list = new ArrayList<@Nullable JsonNode>();
      if (output.isNull()) {
        list.add(null);
      } else if (output.has("$packed")) {
        list.add(output.get("$packed").get("data"));
      } else if (output.has("$tuple")) {
        output.get("$tuple").forEach(node -> list.addAll(outputs(node)));
      } else {
        list.add(output);
      }
      return list;
    }

    private void gradients(Module module, List<Tensor> inputs, List<@Nullable Tensor> outputs) {
      if (!c.has("grad_outputs")) {
        return;
      }
      Tensor loss = null;
      for (JsonNode o : c.get("grad_outputs")) {
        Tensor out = outputs.get(o.asInt());
        assertThat(out).isNotNull();
        Tensor w =
            Tensor.linspace(DType.FLOAT64, 0.5, 1.5, out.numel())
                .to(out.dtype())
                .reshape(out.shape().toArray());
        Tensor part = out.mul(w).sum();
        loss = loss == null ? part : loss.add(part);
      }
      if (loss == null) {
        return;
      }
      loss.backward();
      for (JsonNode entry : c.get("input_grads")) {
        String of = entry.get("of").asString();
        // such as inputs[1][0]: the states come behind the input
        int index =
            of.contains("[")
                ? Arrays.stream(of.replaceAll("^\\w+\\[|\\]$", "").split("\\]\\["))
                    .mapToInt(Integer::parseInt)
                    .sum()
                : 0;
        Tensor grad = inputs.get(index).grad();
        if (entry.get("grad").isNull()) {
          assertThat(grad).as("gradient of %s", of).isNull();
        } else {
          compare("gradient of " + of, grad, entry.get("grad"));
        }
      }
      Map<String, Parameter> parameters = module.namedParameters();
      c.get("param_grads")
          .propertyStream()
          .forEach(e -> {
            Tensor grad = parameters.get(e.getKey()).grad();
            if (e.getValue().isNull()) {
              assertThat(grad).as("gradient of %s", e.getKey()).isNull();
            } else {
              compare("gradient of " + e.getKey(), grad, e.getValue());
            }
          });
    }

    private void buffers(Module module, @Nullable JsonNode buffers) {
      if (buffers != null) {
        buffers
            .propertyStream()
            .forEach(e -> compare(e.getKey(), module.namedBuffers().get(e.getKey()), e.getValue()));
      }
    }

    private void compare(String what, @Nullable Tensor actual, JsonNode reference) {
      Tensor expected = tensors.get(reference);
      assertThat(actual).as(what).isNotNull();
      assertThat(actual.dtype()).as(what).isEqualTo(expected.dtype());
      assertThat(actual.shape()).as(what).isEqualTo(expected.shape());
      boolean exact = expected.dtype() == DType.FLOAT64;
      // the gradient of softmax is a difference of nearly equal numbers: PyTorch's own errs by 2e-5
      double single =
          c.get("module").asString().matches("MultiheadAttention|Transformer.*") ? 5e-5 : 1e-5;
      double[] a = actual.toDoubleArray();
      double[] b = expected.toDoubleArray();
      for (int i = 0; i < a.length; i++) {
        boolean same =
            Double.isFinite(b[i])
                ? Math.abs(a[i] - b[i])
                    <= (exact ? 1e-10 : single) + (exact ? 1e-10 : 1e-4) * Math.abs(b[i])
                : Double.compare(a[i], b[i]) == 0;
        assertThat(same).as("%s[%d]: expected %s, but was %s", what, i, b[i], a[i]).isTrue();
      }
    }
  }
}
