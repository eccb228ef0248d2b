package taper.benchmarks.work;

import java.util.List;

/// The training steps and inferences that are measured, and the work in them.
///
/// @param name as `--only` takes it
/// @param batch the usual number of examples in a step
/// @param width the usual width, by which the work grows; 0 where there is none to choose
/// @param what the network in words
public record Workloads(String name, int batch, int width, String what) {
  /// How the names of kernels start.
  public static final String KERNEL = "kernel/";

  /// All of them.
  public static final List<Workloads> ALL =
      List.of(
          new Workloads(
              "mnist-cnn-train", 64, 32, "the network of `./taper train mnist`, with AdamW"),
          new Workloads("mlp-train", 128, 512, "784-512-512-10, SGD with momentum"),
          new Workloads(
              "gpt-small-train",
              12,
              128,
              "4 layers of 4 heads, context 64, vocabulary 65, before each part a normalization;"
                  + " AdamW"),
          new Workloads(
              "resnet18-cifar-train",
              32,
              0,
              "ResNet-18 with a first convolution of 3×3 and no first pool, 3×32×32, SGD with"
                  + " momentum"),
          new Workloads("resnet50-infer", 1, 0, "ResNet-50 on 3×224×224, no gradient"),
          new Workloads(
              "bert-mini-infer",
              8,
              256,
              "4 layers of 4 heads, sequence 128, vocabulary 30522, after each part a"
                  + " normalization; no gradient"),
          new Workloads(
              "lstm-train",
              32,
              256,
              "2 layers on 64 steps of as many inputs as hidden numbers, a linear layer at each,"
                  + " AdamW"));

  /// The floating-point operations in a step, counted as if convolutions were done directly, without what
  /// is neither product nor convolution; a training step is three times its forward pass.
  ///
  /// @throws IllegalArgumentException if there is no workload of the name
  public static double flops(String name, Setting setting) {
    Workloads workload = named(name);
    double n = setting.batchOr(workload.batch);
    double w = setting.widthOr(workload.width);
    return switch (name) {
      // The first convolution needs no gradient of its input.
      case "mnist-cnn-train" ->
          n * (2 * 2 * 784 * 9 * w + 3 * 2 * (196 * 9 * w * 2 * w + 98 * w * 128 + 1280));
      case "mlp-train" -> n * 2 * (2 * 784 * w + 3 * (w * w + 10 * w));
      case "gpt-small-train" -> 3 * n * 64 * 2 * (4 * (12 * w * w + 64 * w) + 65 * w);
      case "bert-mini-infer" -> n * 128 * 2 * 4 * (12 * w * w + 2 * 128 * w);
      case "lstm-train" -> 3 * n * 64 * 2 * (2 * 8 * w * w + w * 10);
      case "resnet18-cifar-train" -> 3 * n * 2 * 0.5558e9;
      case "resnet50-infer" -> n * 2 * 4.089e9;
      default -> throw new IllegalArgumentException("There is no workload %s.".formatted(name));
    };
  }

  /// The workload of a name.
  ///
  /// @throws IllegalArgumentException if there is none
  public static Workloads named(String name) {
    return ALL.stream()
        .filter(each -> each.name.equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("There is no workload %s.".formatted(name)));
  }
}
