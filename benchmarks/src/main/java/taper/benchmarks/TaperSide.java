package taper.benchmarks;

import taper.benchmarks.work.Kernels;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Side;
import taper.benchmarks.work.Workload;
import taper.benchmarks.work.Workloads;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// Measures Taper.
public final class TaperSide implements Side.Library {
  TaperSide() {}

  @Override
  public String name() {
    return "Taper (" + System.getProperty("taper.kernels", "x86") + ")";
  }

  @Override
  public Workload workload(String name, Setting setting) {
    return name.startsWith(Workloads.KERNEL)
        ? new Kernels<>(new Taper()).workload(name)
        : TaperNetworks.of(name, setting);
  }

  /// Measures as [Setting#of(String...)] says.
  public static void main(String... arguments) {
    Setting setting = Setting.of(arguments);
    Threads.setNumThreads(setting.threads());
    Tensor.manualSeed(0);
    Side.run(new TaperSide(), setting);
  }
}
