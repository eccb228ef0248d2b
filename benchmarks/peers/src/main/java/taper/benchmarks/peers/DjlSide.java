package taper.benchmarks.peers;

import ai.djl.engine.Engine;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Side;
import taper.benchmarks.work.Workload;

/// Measures the official libtorch through DJL.
public final class DjlSide implements Side.Library {
  private DjlSide() {}

  @Override
  public String name() {
    return "libtorch " + Engine.getInstance().getVersion() + " (DJL)";
  }

  @Override
  public Workload workload(String name, Setting setting) {
    return Networks.of(new Djl(), name, setting);
  }

  /// Measures as [Setting#of(String...)] says.
  public static void main(String... arguments) {
    Setting setting = Setting.of(arguments);
    System.setProperty("ai.djl.pytorch.num_threads", String.valueOf(setting.threads()));
    System.setProperty("ai.djl.pytorch.num_interop_threads", "1");
    System.setProperty("ai.djl.offline", "true");
    System.setProperty("OPT_OUT_TRACKING", "true");
    Engine.getInstance().setRandomSeed(0);
    Side.run(new DjlSide(), setting);
  }
}
