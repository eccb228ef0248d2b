package taper.benchmarks;

import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import taper.tensor.Autograd;
import taper.tensor.Combine;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// About a hundred operators on a million elements each; `LibtorchOperators` has the same.
public final class TaperOperators {
  private final OperatorClock clock = new OperatorClock();

  private TaperOperators() {
    elementwise();
    reductions();
    sorting();
    movement();
    matrices();
    layers();
    windows();
    wholeImages();
  }

  /// Times the operators whose names match the pattern in `arguments`.
  public static void main(String... arguments) {
    Tensor.manualSeed(0);
    Autograd.noGrad(() -> new TaperOperators().clock.run(arguments));
  }

  private void add(String name, Supplier<?> operator) {
    clock.add(
        name,
        () -> {
          try (var _ = Memory.scope()) {
            var _ = operator.get();
          }
        });
  }

  /// The way back of `operator`, from a graph that is made once.
  private void addGradient(String name, Tensor x, UnaryOperator<Tensor> operator) {
    Tensor leaf = x.clone().requiresGrad_(true);
    Tensor value = Autograd.enableGrad(() -> operator.apply(leaf));
    clock.add(name, new Taper().backward(() -> value, leaf, Tensor.onesLike(value)));
  }

  private void elementwise() {
    Tensor x = Tensor.randn(1000, 1000);
    Tensor y = Tensor.randn(1000, 1000);
    Tensor u = Tensor.rand(1000, 1000).mul(0.9).add(0.05);
    Tensor row = Tensor.randn(1000);
    Tensor column = Tensor.randn(1000, 1);
    Tensor i = Tensor.randint(0, 1000, 1000, 1000);
    Tensor j = Tensor.randint(1, 1000, 1000, 1000);
    Tensor d = x.to(DType.FLOAT64);
    Tensor ud = u.to(DType.FLOAT64);
    Tensor mask = x.gt(0);
    add("add", () -> x.add(y));
    add("add_row", () -> x.add(row));
    add("add_column", () -> x.add(column));
    add("add_transposed", () -> x.add(y.t()));
    add("mul_number", () -> x.mul(2.5));
    add("exp", x::exp);
    add("log", u::log);
    add("sin", x::sin);
    add("tan", x::tan);
    add("asin", u::asin);
    add("atan", x::atan);
    add("sinh", x::sinh);
    add("asinh", x::asinh);
    add("atanh", u::atanh);
    add("tanh", x::tanh);
    add("sigmoid", x::sigmoid);
    add("erf", x::erf);
    add("erfc", x::erfc);
    add("pow", () -> u.pow(2.5));
    add("pow_tensors", () -> u.pow(y));
    add("sqrt", u::sqrt);
    add("atan2", () -> x.atan2(y));
    add("fmod", () -> x.fmod(u));
    add("remainder", () -> x.remainder(u));
    add("logaddexp", () -> x.logaddexp(y));
    add("where", () -> x.where(mask, y));
    add("lerp", () -> x.lerp(y, 0.3));
    add("int_add", () -> i.add(j));
    add("int_floor_divide", () -> i.floorDivide(j));
    add("int_remainder", () -> i.remainder(j));
    add("double_exp", d::exp);
    add("double_log", ud::log);
    add("double_sin", d::sin);
    add("double_tanh", d::tanh);
    add("double_erf", d::erf);
    add("double_pow", () -> ud.pow(2.5));
    add("to_double", () -> x.to(DType.FLOAT64));
    add("to_bfloat16", () -> x.to(DType.BFLOAT16));
    add("gt", () -> x.gt(y));
  }

  private void reductions() {
    Tensor x = Tensor.randn(1000, 1000);
    Tensor small = Tensor.rand(1000, 1000).mul(0.01).add(0.995);
    Tensor mask = x.gt(10);
    Tensor bytes = Tensor.randint(0, 200, 1000, 1000).to(DType.UINT8);
    add("sum", () -> x.sum());
    add("sum_dim0", () -> x.sum(0));
    add("sum_dim1", () -> x.sum(1));
    add("sum_bytes", () -> bytes.sum());
    add("mean", () -> x.mean());
    add("prod", () -> small.prod());
    add("max_dim1", () -> x.max(1));
    add("max_dim0", () -> x.max(0));
    add("argmax", () -> x.argmax());
    add("amax_dim0", () -> x.amax(0));
    add("any", () -> mask.any());
    add("std", () -> x.std());
    add("var_dim1", () -> x.var(new int[] {1}, 1, false));
    add("norm", () -> x.norm());
    add("logsumexp_dim1", () -> x.logsumexp(1));
    add("cumsum_dim1", () -> x.cumsum(1));
    add("cumsum_dim0", () -> x.cumsum(0));
    add("cumprod_dim1", () -> small.cumprod(1));
    add("cummax_dim1", () -> x.cummax(1));
    add("logcumsumexp_dim1", () -> x.logcumsumexp(1));
  }

  private void sorting() {
    Tensor x = Tensor.randn(1000, 1000);
    Tensor flat = Tensor.randn(1_000_000);
    Tensor i = Tensor.randint(0, 1000, 1_000_000);
    Tensor edges = Tensor.randn(1000).sort().values();
    add("sort_dim1", x::sort);
    add("sort_flat", flat::sort);
    add("argsort_dim0", () -> x.argsort(0));
    add("topk", () -> x.topk(10));
    add("kthvalue", () -> x.kthvalue(500));
    add("median", () -> flat.median());
    Tensor sorted = i.sort().values();
    add("unique_consecutive", () -> sorted.uniqueConsecutive());
    add("searchsorted", () -> Tensor.searchsorted(edges, flat));
    add("bincount", () -> i.bincount());
    add("histc", () -> flat.histc(100, -3, 3));
  }

  private void movement() {
    Tensor x = Tensor.randn(1000, 1000);
    Tensor y = Tensor.randn(1000, 1000);
    Tensor rows = Tensor.randint(0, 1000, 1000);
    Tensor index = Tensor.randint(0, 1000, 1000, 1000);
    Tensor mask = x.gt(0);
    Tensor zeros = Tensor.zeros(1000, 1000);
    add("cat_dim0", () -> Tensor.cat(List.of(x, y), 0));
    add("cat_dim1", () -> Tensor.cat(List.of(x, y), 1));
    add("transposed_copy", () -> x.t().contiguous());
    add("flip_dim1", () -> x.flip(1));
    add("triu", () -> x.triu());
    add("repeat", () -> x.repeat(2, 2));
    add("index_select_dim0", () -> x.indexSelect(0, rows));
    add("index_select_dim1", () -> x.indexSelect(1, rows));
    add("gather_dim1", () -> x.gather(1, index));
    add("scatter_add_dim1", () -> zeros.scatterAdd(1, index, x));
    add("index_add_dim0", () -> zeros.indexAdd(0, rows, x));
    add("masked_select", () -> x.maskedSelect(mask));
    add("masked_fill", () -> x.maskedFill(mask, 1));
    add("scatter_reduce_amax", () -> zeros.scatterReduce(1, index, x, Combine.AMAX));
    add("scatter_dim1", () -> zeros.scatter(1, index, x));
    add("gather_dim0", () -> x.gather(0, index));
    add("roll_dim1", () -> x.roll(7, 1));
    add("repeat_interleave", () -> x.repeatInterleave(2, 1));
    add("index_put_rows", () -> zeros.indexPut(List.of(rows), x));
    add("unfold_copy", () -> x.unfold(1, 4, 4).contiguous());
    add("arange", () -> Tensor.arange(1_000_000));
    add("linspace", () -> Tensor.linspace(0, 1, 1_000_000));
    add("eye", () -> Tensor.eye(1000));
    add("nonzero", mask::nonzero);
    add("randn", () -> Tensor.randn(1000, 1000));
    add("rand", () -> Tensor.rand(1000, 1000));
    add("randperm", () -> Tensor.randperm(1_000_000));
  }

  private void matrices() {
    Tensor a = Tensor.randn(512, 512);
    Tensor b = Tensor.randn(512, 512);
    Tensor batch = Tensor.randn(64, 64, 64);
    add("matmul_512", () -> a.matmul(b));
    add("bmm_64", () -> batch.bmm(batch));
  }

  private void layers() {
    Tensor x = Tensor.randn(1000, 1000);
    Tensor images = Tensor.randn(16, 16, 64, 64);
    Tensor kernel = Tensor.randn(16, 16, 3, 3);
    Tensor labels = Tensor.randint(0, 1000, 1000);
    Tensor grid = Tensor.rand(16, 64, 64, 2).mul(2).sub(1);
    add("softmax", () -> x.softmax(1));
    add("log_softmax", () -> x.logSoftmax(1));
    add("max_pool2d", () -> images.maxPool2d(2));
    add("avg_pool2d", () -> images.avgPool2d(2));
    add("adaptive_avg_pool2d", () -> images.adaptiveAvgPool2d(7, 7));
    add("conv2d_3x3", () -> images.conv2d(kernel, null));
    add("conv_transpose2d_3x3", () -> images.convTranspose2d(kernel, null, o -> o));
    add(
        "interpolate_bilinear",
        () -> images.interpolate(o -> o.scaleFactor(2).mode("bilinear").alignCorners(false)));
    add("pad_reflect", () -> images.pad(new long[] {2, 2, 2, 2}, "reflect"));
    add("unfold", () -> images.unfold(3, o -> o.padding(1)));
    add("grid_sample", () -> images.gridSample(grid));
    add("cross_entropy", () -> x.crossEntropy(labels));
    add("gelu", x::gelu);
  }

  private void windows() {
    Tensor images = Tensor.randn(16, 16, 64, 64);
    Tensor volumes = Tensor.randn(4, 8, 32, 32, 32);
    Tensor cube = Tensor.randn(8, 8, 3, 3, 3);
    add("max_pool2d_3x3", () -> images.maxPool2d(3, o -> o.stride(2).padding(1)));
    add("avg_pool2d_3x3", () -> images.avgPool2d(3, o -> o.stride(1).padding(1)));
    add("max_pool3d", () -> volumes.maxPool3d(2));
    add("avg_pool3d", () -> volumes.avgPool3d(2));
    add("conv3d", () -> volumes.conv3d(cube, null));
    add("adaptive_max_pool2d", () -> images.adaptiveMaxPool2d(7, 7));
    add("interpolate_nearest", () -> images.interpolate(o -> o.scaleFactor(2)));
    add("interpolate_bicubic", () -> images.interpolate(o -> o.scaleFactor(2).mode("bicubic")));
    add("pad_constant", () -> images.pad(2, 2, 2, 2));
    add("pixel_shuffle", () -> images.pixelShuffle(2));
    addGradient("avg_pool2d_gradient", images, x -> x.avgPool2d(2));
    addGradient(
        "avg_pool2d_3x3_gradient", images, x -> x.avgPool2d(3, o -> o.stride(1).padding(1)));
    addGradient("avg_pool3d_gradient", volumes, x -> x.avgPool3d(2));
    addGradient("interpolate_bilinear_gradient", images, x -> twice(x, "bilinear"));
    addGradient("interpolate_nearest_gradient", images, x -> twice(x, "nearest"));
  }

  private static Tensor twice(Tensor x, String mode) {
    return x.interpolate(o -> o.scaleFactor(2).mode(mode));
  }

  private void wholeImages() {
    Tensor small = Tensor.randn(16, 1024, 7, 7);
    Tensor images = Tensor.randn(16, 16, 64, 64);
    Tensor rows = Tensor.randn(16, 64, 1024);
    Tensor grid = Tensor.rand(16, 64, 64, 2).mul(2).sub(1);
    add("avg_pool1d", () -> rows.avgPool1d(4));
    add("adaptive_avg_pool2d_to_1", () -> small.adaptiveAvgPool2d(1, 1));
    addGradient("adaptive_avg_pool2d_gradient", images, x -> x.adaptiveAvgPool2d(7, 7));
    addGradient("adaptive_avg_pool2d_to_1_gradient", small, x -> x.adaptiveAvgPool2d(1, 1));
    addGradient("grid_sample_gradient", images, x -> x.gridSample(grid));
  }
}
