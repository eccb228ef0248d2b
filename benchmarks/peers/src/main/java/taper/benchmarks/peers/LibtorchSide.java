package taper.benchmarks.peers;

import java.io.IOException;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import taper.benchmarks.work.Kernels;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Side;
import taper.benchmarks.work.Workload;
import taper.benchmarks.work.Workloads;

/// Measures libtorch 2.10 through the JavaCPP presets.
public final class LibtorchSide implements Side.Library {
  private final Libtorch operators = new Libtorch();
  private final Kernels<Tensor> kernels = new Kernels<>(operators);

  private LibtorchSide() {}

  @Override
  public String name() {
    return "libtorch 2.10.0 (JavaCPP)";
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
    torch.set_num_threads(setting.threads());
    torch.manual_seed(0);
    if (setting.names().equals(List.of("train-mnist"))) {
      Networks.trainDigits(new Libtorch(), setting.data());
    } else {
      Side.run(new LibtorchSide(), setting);
    }
  }
}
