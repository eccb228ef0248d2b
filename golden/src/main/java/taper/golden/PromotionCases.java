package taper.golden;

import tools.jackson.databind.JsonNode;

/// Runs the cases of the sets `promotion`.
final class PromotionCases {
  PromotionCases(Bindings bindings, JsonNode head) {}

  Outcome run(JsonNode node) {
    return new Outcome.Unsupported("not run yet");
  }
}
