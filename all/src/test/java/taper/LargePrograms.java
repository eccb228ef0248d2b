package taper;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import taper.data.DataLoader;
import taper.data.Dataset;
import taper.nn.BatchNorm2d;
import taper.nn.Conv2d;
import taper.nn.Embedding;
import taper.nn.GRU;
import taper.nn.LSTM;
import taper.nn.Linear;
import taper.nn.MultiheadAttention;
import taper.nn.RNN;
import taper.nn.TransformerEncoderLayer;
import taper.nn.Upsample;
import taper.optim.Adam;
import taper.serialization.Safetensors;
import taper.tensor.Autograd;
import taper.tensor.Combine;
import taper.tensor.DType;
import taper.tensor.Fft;
import taper.tensor.Linalg;
import taper.tensor.Memory;
import taper.tensor.MemoryLimitException;
import taper.tensor.Tensor;

/// Programs that want more than 300 MiB. What is large in them is often a small tensor, expanded: that takes nothing.
final class LargePrograms {
  private interface Program {
    Object run() throws IOException;
  }

  private static final Map<String, Program> PROGRAMS = new LinkedHashMap<>();

  private LargePrograms() {}

  private static void program(String name, Program program) {
    if (PROGRAMS.put(name, program) != null) {
      throw new IllegalArgumentException("there are two programs " + name);
    }
  }

  /// Runs all programs, or those whose names are given, and prints how each ended and the most memory that the process had.
  public static void main(String... arguments) throws IOException {
    Tensor.ones(2).add(1);
    if (arguments.length == 1 && arguments[0].equals("idle")) {
      System.out.println("PEAK " + peak());
      return;
    }
    factories();
    pointwise();
    shapes();
    joins();
    products();
    convolutions();
    pools();
    sorts();
    scansAndReductions();
    indices();
    decompositions();
    transforms();
    layers();
    training();
    random();
    files();
    for (var entry : PROGRAMS.entrySet()) {
      if (arguments.length == 0 || List.of(arguments).contains(entry.getKey())) {
        attempt(entry.getKey(), entry.getValue());
      }
    }
    System.out.println("PEAK " + peak());
  }

  private static void attempt(String name, Program program) throws IOException {
    long begin = System.nanoTime();
    String end;
    try (var _ = Memory.scope(name)) {
      end = "WRONG it came to an end: " + program.run();
    } catch (MemoryLimitException e) {
      end = "REFUSED " + e.getMessage().lines().findFirst().orElse("");
    } catch (RuntimeException | Error e) {
      end = "WRONG " + e;
      e.printStackTrace(System.out);
    }
    System.out.printf(
        "%s (%d ms, %d kB so far)%n",
        end.replaceFirst(" ", " " + name + ": "), (System.nanoTime() - begin) / 1_000_000, peak());
  }

  /// The most memory that this process had so far, in units of 1024 bytes.
  private static long peak() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  /// One number, as often as the sizes say.
  private static Tensor wide(long... sizes) {
    return Tensor.ones(1).expand(sizes);
  }

  private static Tensor wide(DType dtype, long... sizes) {
    return Tensor.ones(dtype, 1).expand(sizes);
  }

  private static Tensor line() {
    return wide(100_000_000);
  }

  private static Tensor matrix() {
    return wide(10_000, 10_000);
  }

  private static Tensor images() {
    return wide(64, 16, 320, 320);
  }

  /// More than half of what there is.
  private static Tensor half() {
    return Tensor.ones(45_000_000);
  }

  private static void factories() {
    program("zeros", () -> Tensor.zeros(10_000, 10_000));
    program("zeros of bytes", () -> Tensor.zeros(DType.UINT8, 400_000_000));
    program("zeros of complex numbers", () -> Tensor.zeros(DType.COMPLEX128, 25_000_000));
    program("ones", () -> Tensor.ones(100_000_000));
    program("full", () -> Tensor.full(DType.FLOAT64, 3, 50_000_000));
    program("empty", () -> Tensor.empty(1L << 40));
    program("empty of the most bytes", () -> Tensor.empty(DType.INT8, Long.MAX_VALUE));
    program("eye", () -> Tensor.eye(10_000));
    program("arange", () -> Tensor.arange(50_000_000));
    program("linspace", () -> Tensor.linspace(0, 1, 100_000_000));
    program("logspace", () -> Tensor.logspace(0, 1, 100_000_000));
    program("trilIndices", () -> Tensor.trilIndices(10_000, 10_000, 0));
    program("zerosLike", () -> Tensor.zerosLike(line()));
    program("hannWindow", () -> Tensor.hannWindow(100_000_000));
    program("kaiserWindow", () -> Tensor.kaiserWindow(100_000_000));
    program("two halves", () -> List.of(half(), half()));
    program(
        "many small ones",
        () -> Collections.nCopies(400, 0).stream().map(_ -> Tensor.ones(262_144)).toList());
    program(
        "very many tiny ones",
        () -> Collections.nCopies(160_000, 0).stream().map(_ -> Tensor.ones(512)).toList());
  }

  private static void pointwise() {
    program("add a number", () -> line().add(1));
    program("add", () -> line().add(line()));
    program("add of columns and rows", () -> Tensor.ones(10_000, 1).add(Tensor.ones(1, 10_000)));
    program("mul in three dimensions", () -> Tensor.ones(500, 1, 1).mul(Tensor.ones(500, 500)));
    program("a broadcast of 2^60", () -> wide(1L << 31, 1).mul(wide(1, 1L << 29)));
    program("gt", () -> wide(400_000_000).gt(0));
    program("exp", () -> line().exp());
    program("sin", () -> line().sin());
    program("pow", () -> line().pow(2.5));
    program("div", () -> line().div(3));
    program("relu", () -> line().relu());
    program("gelu", () -> line().gelu());
    program("sigmoid", () -> line().sigmoid());
    program("tanh", () -> line().tanh());
    program("erf", () -> line().erf());
    program("lgamma", () -> line().lgamma());
    program("clamp", () -> line().clamp(0.0, 1.0));
    program("to float64", () -> wide(50_000_000).to(DType.FLOAT64));
    program("to int64 of booleans", () -> wide(DType.BOOL, 50_000_000).to(DType.INT64));
    program("add of types", () -> wide(DType.INT32, 50_000_000).add(wide(DType.FLOAT64, 1)));
    program("eq", () -> wide(400_000_000).eq(1));
    program("bitwiseAnd", () -> wide(DType.INT64, 50_000_000).bitwiseAnd(7));
    program("a chain", () -> half().mul(2).add(1).relu());
    program("half precision", () -> wide(DType.BFLOAT16, 200_000_000).exp());
    program("complex", () -> wide(DType.COMPLEX64, 50_000_000).mul(wide(DType.COMPLEX64, 1)));
    program("abs of complex", () -> wide(DType.COMPLEX64, 100_000_000).abs());
    program("lerp", () -> line().lerp(wide(1), 0.5));
    program("addcmul", () -> line().addcmul(line(), line(), 2));
    program("atan2", () -> line().atan2(line()));
    program("dropout", () -> line().dropout(0.5, true));
  }

  private static void shapes() {
    program("contiguous", () -> line().contiguous());
    program("clone", () -> half().clone());
    program("reshape", () -> wide(10_000, 1).mul(1).expand(10_000, 10_000).reshape(-1));
    program("flatten", () -> wide(1, 10_000).mul(1).expand(10_000, 10_000).flatten());
    program("repeat", () -> Tensor.ones(1000).repeat(1000, 100));
    program("tile", () -> Tensor.ones(1000).tile(1000, 100));
    program("repeatInterleave", () -> Tensor.ones(1000).repeatInterleave(100_000));
    program("flip", () -> matrix().flip(0));
    program("roll", () -> line().roll(1));
    program("triu", () -> matrix().triu());
    program("tril", () -> matrix().tril());
    program("rot90", () -> matrix().rot90());
    program("diagEmbed", () -> Tensor.ones(10_000).diagEmbed());
    program("diagflat", () -> Tensor.ones(10_000).diagflat());
    program("combinations", () -> Tensor.ones(10_000).combinations(2));
    program("narrowCopy", () -> line().narrowCopy(0, 1, 99_000_000));
    program("selectScatter", () -> matrix().selectScatter(Tensor.ones(10_000), 0, 1));
    program("unfold", () -> Tensor.ones(200_000).unfold(0, 1000, 1).contiguous());
    program("resize_", () -> Tensor.ones(1).resize_(100_000_000));
    program("pad", () -> Tensor.ones(4, 4).pad(5000, 5000, 5000, 5000));
  }

  private static void joins() {
    program("cat", () -> Tensor.cat(Collections.nCopies(100, wide(1_000_000))));
    program("cat of two halves", () -> Tensor.cat(List.of(half(), wide(1_000_000))));
    program("cat of 2^60", () -> Tensor.cat(Collections.nCopies(4, wide(1L << 58))));
    program("stack", () -> Tensor.stack(Collections.nCopies(100, wide(1_000_000))));
    program("hstack", () -> Tensor.hstack(Collections.nCopies(100, wide(1_000_000))));
    program("vstack", () -> Tensor.vstack(Collections.nCopies(100, wide(1_000_000))));
    program("dstack", () -> Tensor.dstack(Collections.nCopies(100, wide(1_000_000))));
    program("blockDiag", () -> Tensor.blockDiag(wide(5000, 5000), wide(5000, 5000)));
    program("cartesianProd", () -> Tensor.cartesianProd(Tensor.ones(8000), Tensor.ones(8000)));
    program(
        "meshgrid",
        () ->
            Tensor.meshgrid(Tensor.ones(10_000), Tensor.ones(10_000)).stream()
                .map(Tensor::contiguous)
                .toList());
  }

  private static void products() {
    program("mm", () -> wide(10_000, 4).mm(wide(4, 10_000)));
    program("mm of the transposed", () -> matrix().t().mm(matrix()));
    program("bmm", () -> wide(100, 1000, 4).bmm(wide(100, 4, 1000)));
    program("matmul", () -> wide(10, 10, 1000, 4).matmul(wide(4, 1000)));
    program("outer", () -> Tensor.ones(10_000).outer(Tensor.ones(10_000)));
    program("outer of 2^60", () -> wide(1L << 31).outer(wide(1L << 29)));
    program("kron", () -> Tensor.ones(100, 100).kron(Tensor.ones(100, 100)));
    program("einsum", () -> Tensor.einsum("i,j->ij", Tensor.ones(10_000), Tensor.ones(10_000)));
    program(
        "einsum of batches",
        () -> Tensor.einsum("bik,bkj->bij", wide(64, 1500, 2), wide(64, 2, 1500)));
    program("tensordot", () -> Tensor.tensordot(Tensor.ones(10_000, 2), Tensor.ones(2, 10_000), 1));
    program("addmm", () -> wide(10_000, 10_000).addmm(wide(10_000, 2), wide(2, 10_000)));
    program("linear", () -> wide(10_000, 2).linear(wide(10_000, 2), null));
    program("cdist", () -> Tensor.ones(10_000, 2).cdist(Tensor.ones(10_000, 2)));
    program("pdist", () -> Tensor.ones(14_000, 2).pdist());
    program(
        "mm of half precision",
        () -> wide(DType.BFLOAT16, 15_000, 4).mm(wide(DType.BFLOAT16, 4, 15_000)));
    program("matrixPower", () -> Linalg.matrixPower(matrix(), 3));
    program("multiDot", () -> Linalg.multiDot(wide(9000, 2), wide(2, 2), wide(2, 9000)));
    program("vander", () -> Linalg.vander(Tensor.ones(10_000), 10_000));
  }

  private static void convolutions() {
    program("conv1d", () -> wide(1, 4, 2_000_000).conv1d(wide(64, 4, 3), null));
    program("conv2d", () -> wide(16, 4, 640, 640).conv2d(wide(16, 4, 3, 3), null));
    program(
        "conv2d of many channels", () -> wide(8, 64, 512, 512).conv2d(wide(64, 64, 1, 1), null));
    program(
        "conv2d of groups",
        () -> wide(8, 64, 512, 512).conv2d(wide(64, 1, 3, 3), null, o -> o.groups(64)));
    program(
        "conv2d of a huge padding",
        () -> wide(1, 1, 3, 3).conv2d(wide(1, 1, 3, 3), null, o -> o.padding(1 << 28)));
    program(
        "conv2d of float64",
        () -> wide(DType.FLOAT64, 8, 4, 640, 640).conv2d(wide(DType.FLOAT64, 16, 4, 5, 5), null));
    program(
        "conv2d of dilation",
        () -> wide(16, 4, 640, 640).conv2d(wide(16, 4, 3, 3), null, o -> o.dilation(2)));
    program("conv3d", () -> wide(1, 2, 128, 128, 128).conv3d(wide(64, 2, 3, 3, 3), null));
    program(
        "convTranspose1d",
        () -> wide(1, 2, 2_000_000).convTranspose1d(wide(2, 64, 3), null, o -> o));
    program(
        "convTranspose2d",
        () -> wide(16, 4, 512, 512).convTranspose2d(wide(4, 8, 2, 2), null, o -> o.stride(2)));
    program(
        "convTranspose3d",
        () -> wide(1, 2, 64, 64, 64).convTranspose3d(wide(2, 64, 2, 2, 2), null, o -> o.stride(2)));
    program(
        "a convolution and its gradient",
        () -> {
          Tensor x = Tensor.ones(16, 8, 400, 400).requiresGrad_();
          Tensor w = Tensor.ones(16, 8, 3, 3).requiresGrad_();
          x.conv2d(w, null).relu().conv2d(Tensor.ones(8, 16, 3, 3), null).sum().backward();
          return x;
        });
  }

  private static void pools() {
    program("maxPool2d", () -> wide(64, 64, 320, 320).maxPool2d(2));
    program("avgPool2d", () -> wide(64, 64, 320, 320).avgPool2d(2));
    program("maxPool1d", () -> wide(64, 64, 60_000).maxPool1d(2));
    program("avgPool1d", () -> wide(64, 64, 60_000).avgPool1d(2));
    program("maxPool3d", () -> wide(64, 64, 32, 64, 64).maxPool3d(2));
    program("avgPool3d", () -> wide(64, 64, 32, 64, 64).avgPool3d(2));
    program("adaptiveAvgPool2d", () -> wide(1, 1, 9, 9).adaptiveAvgPool2d(10_000, 10_000));
    program("adaptiveMaxPool2d", () -> wide(1, 1, 9, 9).adaptiveMaxPool2d(10_000, 10_000));
    program("maxPool2d with indices", () -> images().maxPool2dWithIndices(2, 2, o -> o));
    program(
        "upsample", () -> new Upsample(o -> o.scaleFactor(100)).call(Tensor.ones(1, 1, 128, 128)));
  }

  private static void sorts() {
    program("sort", () -> line().sort());
    program("sort of rows", () -> matrix().sort(1));
    program("sort of a half", () -> half().sort());
    program("sort of random numbers", () -> Tensor.rand(20_000_000).sort());
    program("sort of whole numbers", () -> Tensor.arange(15_000_000).sort());
    program("stable sort", () -> wide(DType.INT32, 50_000_000).sort(0, true));
    program("argsort", () -> line().argsort());
    program("msort", () -> matrix().msort());
    program("topk", () -> line().topk(60_000_000));
    program("unique", () -> Tensor.arange(20_000_000).unique());
    program("median of a half", () -> Tensor.stack(List.of(half(), half())).median());
    program("quantile", () -> line().quantile(0.5));
    program("randperm", () -> Tensor.randperm(50_000_000));
    program("bucketize", () -> line().bucketize(Tensor.ones(3)));
    program("searchsorted", () -> Tensor.searchsorted(Tensor.ones(3), line()));
    program("isin", () -> wide(400_000_000).isin(Tensor.ones(3)));
  }

  private static void scansAndReductions() {
    program("cumsum", () -> line().cumsum(0));
    program("cumprod", () -> line().cumprod(0));
    program("cummax", () -> line().cummax(0));
    program("logcumsumexp", () -> line().logcumsumexp(0));
    program("diff", () -> line().diff());
    program("softmax", () -> matrix().softmax(1));
    program("logSoftmax", () -> matrix().logSoftmax(1));
    program("sum along a dimension", () -> wide(100_000_000, 2).sum(1, false));
    program("mean along a dimension", () -> wide(100_000_000, 2).mean(1, false));
    program("max along a dimension", () -> wide(30_000_000, 2).max(1, false));
    program("argmax along a dimension", () -> wide(50_000_000, 2).argmax(1, false));
    program("var along a dimension", () -> wide(100_000_000, 2).var(1));
    program("layerNorm", () -> matrix().layerNorm(10_000));
    program("cov", () -> wide(10_000, 2).cov());
    program("histc", () -> Tensor.ones(3).histc(100_000_000, 0, 1));
    program("bincount", () -> Tensor.of(new long[] {100_000_000}, 1).bincount());
  }

  private static void indices() {
    program("oneHot", () -> Tensor.arange(10_000).oneHot(10_000));
    program("gather", () -> matrix().gather(0, wide(DType.INT64, 10_000, 10_000)));
    program("indexSelect", () -> wide(2, 10_000).indexSelect(0, wide(DType.INT64, 10_000)));
    program("index", () -> wide(2, 10_000).get(taper.tensor.Index.of(wide(DType.INT64, 10_000))));
    program("scatter", () -> matrix().scatter(0, wide(DType.INT64, 1, 10_000), 2.0));
    program(
        "scatterAdd", () -> matrix().scatterAdd(0, wide(DType.INT64, 1, 10_000), wide(1, 10_000)));
    program(
        "scatter of products",
        () -> matrix().scatter(0, wide(DType.INT64, 1, 10_000), 2.0, Combine.PROD));
    program("indexAdd", () -> matrix().indexAdd(0, wide(DType.INT64, 1), wide(1, 10_000)));
    program("maskedSelect", () -> line().maskedSelect(wide(DType.BOOL, 100_000_000)));
    program("maskedFill", () -> line().maskedFill(wide(DType.BOOL, 100_000_000), 1.0));
    program("nonzero", () -> wide(50_000_000).nonzero());
    program("embedding", () -> wide(DType.INT64, 100_000).embedding(Tensor.ones(5, 1000)));
    program("take", () -> Tensor.ones(5).take(wide(DType.INT64, 100_000_000)));
  }

  private static void decompositions() {
    program("svd", () -> Linalg.svd(Tensor.rand(3000, 3000)));
    program("svd of a wide matrix", () -> Linalg.svd(wide(10_000, 10_000)));
    program("svdvals", () -> Linalg.svdvals(Tensor.rand(3200, 3200)));
    program("qr", () -> Linalg.qr(wide(9000, 9000)));
    program("qr on the heap", () -> Linalg.qr(Tensor.rand(3000, 3000)));
    program("lu", () -> Linalg.lu(wide(9000, 9000)));
    program("luFactor", () -> Linalg.luFactor(wide(9000, 9000)));
    program("cholesky", () -> Linalg.cholesky(matrix()));
    program("eigh", () -> Linalg.eigh(Tensor.rand(3000, 3000)));
    program("eig", () -> Linalg.eig(Tensor.rand(3000, 3000)));
    program("inv", () -> Linalg.inv(matrix()));
    program("pinv", () -> Linalg.pinv(Tensor.rand(3000, 3000)));
    program("solve", () -> Linalg.solve(Tensor.eye(3), wide(3, 30_000_000)));
    program("lstsq", () -> Linalg.lstsq(Tensor.rand(5000, 3000), Tensor.ones(5000, 1)));
    program("det", () -> Linalg.det(matrix()));
    program("matrixExp", () -> Linalg.matrixExp(matrix()));
    program(
        "solveTriangular", () -> Linalg.solveTriangular(Tensor.eye(3), wide(3, 30_000_000), true));
  }

  private static void transforms() {
    program("fft", () -> Fft.fft(line()));
    program("ifft", () -> Fft.ifft(line()));
    program("rfft", () -> Fft.rfft(line()));
    program("fft2", () -> Fft.fft2(matrix()));
    program("fftn", () -> Fft.fftn(wide(500, 500, 500)));
    program("fft of a large n", () -> Fft.fft(Tensor.ones(3), o -> o.n(100_000_000)));
    program("fftfreq", () -> Fft.fftfreq(100_000_000, 1));
    program("fftshift", () -> Fft.fftshift(line()));
    program("stft", () -> wide(40_000_000).stft(512, o -> o.hopLength(64)));
  }

  private static void layers() {
    program("Linear", () -> new Linear(20_000, 20_000));
    program("Embedding", () -> new Embedding(1_000_000, 128));
    program("Conv2d", () -> new Conv2d(4000, 4000, 3));
    program("LSTM with large weights", () -> new LSTM(5000, 5000));
    program("LSTM", () -> new LSTM(64, 256).call(wide(10_000, 64, 64)));
    program("GRU", () -> new GRU(64, 256).call(wide(10_000, 64, 64)));
    program("RNN", () -> new RNN(64, 256).call(wide(10_000, 64, 64)));
    program("BatchNorm2d", () -> new BatchNorm2d(16).call(images()));
    program(
        "MultiheadAttention",
        () -> {
          Tensor x = wide(1, 12_000, 64);
          return new MultiheadAttention(64, 4, o -> o.batchFirst(true)).call(x, x, x);
        });
    program(
        "TransformerEncoderLayer",
        () -> new TransformerEncoderLayer(64, 4).call(wide(2000, 64, 64)));
    program(
        "attention",
        () ->
            wide(8, 8, 30_000, 64)
                .scaledDotProductAttention(wide(8, 8, 30_000, 64), wide(8, 8, 30_000, 64)));
    program(
        "crossEntropy of many classes",
        () -> {
          Tensor x = half().view(4500, 10_000).requiresGrad_();
          x.crossEntropy(wide(DType.INT64, 4500)).backward();
          return x;
        });
  }

  private static void training() {
    program(
        "a gradient",
        () -> {
          Tensor x = half().requiresGrad_();
          x.mul(x).sum().backward();
          return x;
        });
    program(
        "a deep chain",
        () -> {
          Tensor x = Tensor.ones(5_000_000).requiresGrad_();
          Tensor y = x;
          for (int i = 0; i < 40; i++) {
            y = y.sin();
          }
          return y;
        });
    program(
        "a step of Adam",
        () -> {
          var layer = new Linear(5000, 5000);
          var adam = new Adam(layer.parameters());
          layer.call(Tensor.ones(2, 5000)).sum().backward();
          adam.step();
          return layer;
        });
    program(
        "outputs of an evaluation that are kept",
        () -> {
          try (var _ = Autograd.noGrad()) {
            var layer = new Linear(1000, 1000);
            var outputs = new java.util.ArrayList<Tensor>();
            for (int i = 0; i < 200; i++) {
              outputs.add(layer.call(wide(1000, 1000)));
            }
            return outputs;
          }
        });
    program("a loader", () -> count(new DataLoader<>(samples(1_000_000), o -> o.batchSize(200))));
    program(
        "a loader with workers",
        () -> count(new DataLoader<>(samples(1_000_000), o -> o.batchSize(200).workers(2))));
    program(
        "a loader whose samples are large",
        () -> count(new DataLoader<>(samples(100_000_000), o -> o.batchSize(1))));
    program(
        "a loader whose batches are kept",
        () -> {
          var all = new java.util.ArrayList<Tensor>();
          try (var loader = new DataLoader<>(samples(1_000_000), o -> o.batchSize(10))) {
            loader.forEach(all::add);
          }
          return all;
        });
  }

  private static Dataset<Tensor> samples(long size) {
    return new Dataset<>() {
      @Override
      public long size() {
        return 1000;
      }

      @Override
      public Tensor get(long index) {
        return Tensor.ones(size);
      }
    };
  }

  private static long count(DataLoader<Tensor> loader) {
    try (loader) {
      long count = 0;
      for (Tensor batch : loader) {
        count += batch.size(0);
      }
      return count;
    }
  }

  private static void random() {
    program("rand", () -> Tensor.rand(100_000_000));
    program("randn", () -> Tensor.randn(10_000, 10_000));
    program("randint", () -> Tensor.randint(0, 10, 50_000_000));
    program("randnLike", () -> Tensor.randnLike(line()));
    program("normal", () -> Tensor.normal(line(), 1.0));
    program("bernoulli", () -> line().bernoulli());
    program("multinomial", () -> Tensor.ones(3).multinomial(50_000_000, true));
    program("binomial", () -> Tensor.binomial(line(), wide(1)));
    program("poisson", () -> line().poisson());
  }

  private static void files() {
    program(
        "load",
        () -> {
          Path path = Files.createTempFile("large", ".safetensors");
          try {
            large(path, 400_000_000);
            return Safetensors.load(path);
          } finally {
            Files.delete(path);
          }
        });
    program(
        "save of what is expanded",
        () -> {
          Path path = Files.createTempFile("large", ".safetensors");
          try {
            Safetensors.save(Map.of("x", line()), path);
            return path;
          } finally {
            Files.delete(path);
          }
        });
  }

  /// A file with one tensor of zeros, which takes no room on the disk.
  private static void large(Path path, long bytes) {
    byte[] header =
        "{\"x\":{\"dtype\":\"U8\",\"shape\":[%d],\"data_offsets\":[0,%d]}}"
            .formatted(bytes, bytes)
            .getBytes(StandardCharsets.UTF_8);
    try (var file = new RandomAccessFile(path.toFile(), "rw")) {
      file.writeLong(Long.reverseBytes(header.length));
      file.write(header);
      file.setLength(8 + header.length + bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
