package taper.benchmarks.peers;

import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import java.io.IOException;
import java.util.List;
import taper.benchmarks.work.Kernels;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Side;
import taper.benchmarks.work.Workload;
import taper.benchmarks.work.Workloads;

/// Measures the official libtorch through DJL.
public final class DjlSide implements Side.Library {
  private final Djl operators = new Djl();
  private final Kernels<NDArray> kernels = new Kernels<>(operators);

  private DjlSide() {}

  @Override
  public String name() {
    return "libtorch " + Engine.getInstance().getVersion() + " (DJL)";
  }

  @Override
  public Workload workload(String name, Setting setting) {
    return name.startsWith(Workloads.KERNEL)
        ? kernels.workload(name)
        : Networks.of(operators, name, setting);
  }

  /// Measures as [Setting#of(String...)] says; with the name `train-mnist` alone, trains for an epoch instead.
  public static void main(String... arguments) throws IOException {
    Setting setting = Setting.of(arguments);
    System.setProperty("ai.djl.pytorch.num_threads", String.valueOf(setting.threads()));
    System.setProperty("ai.djl.pytorch.num_interop_threads", "1");
    System.setProperty("ai.djl.offline", "true");
    System.setProperty("OPT_OUT_TRACKING", "true");
    Engine.getInstance().setRandomSeed(0);
    if (setting.names().equals(List.of("train-mnist"))) {
      Networks.trainDigits(new Djl(), setting.data());
    } else {
      Side.run(new DjlSide(), setting);
    }
  }
}
