package taper.benchmarks.peers;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.LongArrayRef;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import taper.benchmarks.OperatorClock;

/// The operators of `TaperOperators` in libtorch 2.10, on one thread.
public final class LibtorchOperators {
  private final OperatorClock clock = new OperatorClock();

  private LibtorchOperators() {
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
    torch.set_num_threads(1);
    torch.manual_seed(0);
    new LibtorchOperators().clock.run(arguments);
  }

  private void add(String name, Supplier<?> operator) {
    clock.add(
        name,
        () -> {
          try (var _ = new PointerScope()) {
            var _ = operator.get();
          }
        });
  }

  /// The way back of `operator`, from a graph that is made once.
  private void addGradient(String name, Tensor x, UnaryOperator<Tensor> operator) {
    Tensor leaf = x.clone().requires_grad_(true);
    Tensor value = operator.apply(leaf);
    Tensor ones = torch.ones_like(value);
    add(
        name,
        () ->
            torch.grad(
                new TensorVector(value),
                new TensorVector(leaf),
                new TensorVector(ones),
                new BoolOptional(true),
                false,
                false));
  }

  private static Tensor randn(long... sizes) {
    return torch.randn(sizes);
  }

  private static Tensor rand(long... sizes) {
    return torch.rand(sizes);
  }

  private static Tensor randint(long high, long... sizes) {
    return torch.randint(high, sizes).to(torch.ScalarType.Long);
  }

  private static Scalar scalar(double value) {
    return new Scalar(value);
  }

  private void elementwise() {
    Tensor x = randn(1000, 1000);
    Tensor y = randn(1000, 1000);
    Tensor u = rand(1000, 1000).mul(scalar(0.9)).add(scalar(0.05));
    Tensor row = randn(1000);
    Tensor column = randn(1000, 1);
    Tensor i = randint(1000, 1000, 1000);
    Tensor j = randint(999, 1000, 1000).add(new Scalar(1L));
    Tensor d = x.to(torch.ScalarType.Double);
    Tensor ud = u.to(torch.ScalarType.Double);
    Tensor mask = x.gt(scalar(0));
    add("add", () -> x.add(y));
    add("add_row", () -> x.add(row));
    add("add_column", () -> x.add(column));
    add("add_transposed", () -> x.add(y.t()));
    add("mul_number", () -> x.mul(scalar(2.5)));
    add("exp", () -> x.exp());
    add("log", () -> u.log());
    add("sin", () -> x.sin());
    add("tan", () -> x.tan());
    add("asin", () -> u.asin());
    add("atan", () -> x.atan());
    add("sinh", () -> x.sinh());
    add("asinh", () -> x.asinh());
    add("atanh", () -> u.atanh());
    add("tanh", () -> x.tanh());
    add("sigmoid", () -> x.sigmoid());
    add("erf", () -> x.erf());
    add("erfc", () -> x.erfc());
    add("erfinv", () -> u.erfinv());
    add("lgamma", () -> u.lgamma());
    add("digamma", () -> u.digamma());
    add("i0", () -> x.i0());
    add("pow", () -> u.pow(scalar(2.5)));
    add("pow_tensors", () -> u.pow(y));
    add("sqrt", () -> u.sqrt());
    add("atan2", () -> x.atan2(y));
    add("fmod", () -> x.fmod(u));
    add("remainder", () -> x.remainder(u));
    add("hypot", () -> x.hypot(y));
    add("logaddexp", () -> x.logaddexp(y));
    add("nan_to_num", () -> x.nan_to_num());
    add("where", () -> torch.where(mask, x, y));
    add("lerp", () -> x.lerp(y, scalar(0.3)));
    add("addcmul", () -> x.addcmul(y, u, scalar(0.5)));
    add("int_add", () -> i.add(j));
    add("int_floor_divide", () -> i.floor_divide(j));
    add("int_remainder", () -> i.remainder(j));
    add("int_bitwise_and", () -> i.bitwise_and(j));
    add("double_exp", () -> d.exp());
    add("double_log", () -> ud.log());
    add("double_sin", () -> d.sin());
    add("double_tanh", () -> d.tanh());
    add("double_erf", () -> d.erf());
    add("double_pow", () -> ud.pow(scalar(2.5)));
    add("to_double", () -> x.to(torch.ScalarType.Double));
    add("to_bfloat16", () -> x.to(torch.ScalarType.BFloat16));
    add("gt", () -> x.gt(y));
  }

  private void reductions() {
    Tensor x = randn(1000, 1000);
    Tensor small = rand(1000, 1000).mul(scalar(0.01)).add(scalar(0.995));
    Tensor mask = x.gt(scalar(10));
    Tensor bytes = randint(200, 1000, 1000).to(torch.ScalarType.Byte);
    add("sum", () -> x.sum());
    add("sum_dim0", () -> x.sum(0));
    add("sum_dim1", () -> x.sum(1));
    add("sum_bytes", () -> bytes.sum());
    add("mean", () -> x.mean());
    add("prod", () -> small.prod());
    add("max_dim1", () -> torch.max(x, 1, false));
    add("max_dim0", () -> torch.max(x, 0, false));
    add("argmax", () -> x.argmax());
    add("amax_dim0", () -> torch.amax(x, new long[] {0}, false));
    add("any", () -> mask.any());
    add("std", () -> torch.std(x, true));
    add("var_dim1", () -> torch.var(x, new long[] {1}, true, false));
    add("norm", () -> torch.norm(x));
    add("logsumexp_dim1", () -> torch.logsumexp(x, 1L));
    add("cumsum_dim1", () -> torch.cumsum(x, 1));
    add("cumsum_dim0", () -> torch.cumsum(x, 0));
    add("cumprod_dim1", () -> torch.cumprod(small, 1));
    add("cummax_dim1", () -> torch.cummax(x, 1));
    add("logcumsumexp_dim1", () -> torch.logcumsumexp(x, 1));
  }

  private void sorting() {
    Tensor x = randn(1000, 1000);
    Tensor flat = randn(1_000_000);
    Tensor i = randint(1000, 1_000_000);
    Tensor edges = torch.sort(randn(1000)).get0().clone();
    add("sort_dim1", () -> torch.sort(x));
    add("sort_flat", () -> torch.sort(flat));
    add("argsort_dim0", () -> torch.argsort(x, 0, false));
    add("topk", () -> torch.topk(x, 10));
    add("kthvalue", () -> torch.kthvalue(x, 500));
    add("median", () -> torch.median(flat));
    Tensor sorted = torch.sort(i).get0().clone();
    add("unique_consecutive", () -> torch.unique_consecutive(sorted));
    add("searchsorted", () -> torch.searchsorted(edges, flat));
    add("bincount", () -> torch.bincount(i));
    add("histc", () -> torch.histc(flat, 100, scalar(-3), scalar(3)));
  }

  private void movement() {
    Tensor x = randn(1000, 1000);
    Tensor y = randn(1000, 1000);
    Tensor rows = randint(1000, 1000);
    Tensor index = randint(1000, 1000, 1000);
    Tensor mask = x.gt(scalar(0));
    Tensor zeros = torch.zeros(1000, 1000);
    add("cat_dim0", () -> torch.cat(new TensorVector(x, y), 0));
    add("cat_dim1", () -> torch.cat(new TensorVector(x, y), 1));
    add("transposed_copy", () -> x.t().contiguous());
    add("flip_dim1", () -> torch.flip(x, 1));
    add("roll_dim1", () -> torch.roll(x, new long[] {7}, 1));
    add("triu", () -> torch.triu(x));
    add("repeat", () -> x.repeat(2, 2));
    add("repeat_interleave", () -> x.repeat_interleave(2, new LongOptional(1), new LongOptional()));
    add("index_select_dim0", () -> torch.index_select(x, 0, rows));
    add("index_select_dim1", () -> torch.index_select(x, 1, rows));
    add("gather_dim1", () -> torch.gather(x, 1, index));
    add("scatter_add_dim1", () -> torch.scatter_add(zeros, 1, index, x));
    add("index_add_dim0", () -> torch.index_add(zeros, 0, rows, x));
    add("masked_select", () -> torch.masked_select(x, mask));
    add("masked_fill", () -> torch.masked_fill(x, mask, scalar(1)));
    add("scatter_reduce_amax", () -> torch.scatter_reduce(zeros, 1, index, x, "amax"));
    add("scatter_dim1", () -> torch.scatter(zeros, 1, index, x));
    add("gather_dim0", () -> torch.gather(x, 0, index));
    add("unfold_copy", () -> x.unfold(1, 4, 4).contiguous());
    add("arange", () -> torch.arange(scalar(1_000_000)));
    add("linspace", () -> torch.linspace(scalar(0), scalar(1), 1_000_000));
    add("eye", () -> torch.eye(1000));
    add("nonzero", () -> torch.nonzero(mask));
    add("randn", () -> torch.randn(1000, 1000));
    add("rand", () -> torch.rand(1000, 1000));
    add("randperm", () -> torch.randperm(1_000_000));
    add("dropout", () -> torch.dropout(x, 0.5, true));
  }

  private void matrices() {
    Tensor a = randn(512, 512);
    Tensor b = randn(512, 512);
    Tensor batch = randn(64, 64, 64);
    Tensor square = randn(200, 200).to(torch.ScalarType.Double);
    Tensor positive = square.matmul(square.t()).add(torch.eye(200).to(torch.ScalarType.Double));
    Tensor signal = randn(1000, 1024);
    add("matmul_512", () -> torch.matmul(a, b));
    add("bmm_64", () -> torch.bmm(batch, batch));
    add("kron", () -> torch.kron(randn(32, 32), randn(32, 32)));
    add("cholesky_200", () -> torch.linalg_cholesky(positive));
    add("qr_200", () -> torch.linalg_qr(square));
    add("svd_200", () -> torch.linalg_svd(square));
    add("eigh_200", () -> torch.linalg_eigh(positive));
    add("eig_200", () -> torch.linalg_eig(square));
    add("fft", () -> torch.fft_fft(signal));
    add("rfft", () -> torch.fft_rfft(signal));
    add("cdist", () -> torch.cdist(a, b));
  }

  private void layers() {
    Tensor x = randn(1000, 1000);
    Tensor images = randn(16, 16, 64, 64);
    Tensor kernel = randn(16, 16, 3, 3);
    Tensor table = randn(10_000, 100);
    Tensor words = randint(10_000, 10_000);
    Tensor labels = randint(1000, 1000);
    Tensor weight = rand(16);
    Tensor heads = randn(4, 8, 128, 64);
    var twice = new LongArrayRef(new LongPointer(128, 128), 2);
    Tensor grid = rand(16, 64, 64, 2).mul(scalar(2)).sub(scalar(1));
    add("softmax", () -> torch.softmax(x, 1));
    add("log_softmax", () -> torch.log_softmax(x, 1));
    add("layer_norm", () -> torch.layer_norm(x, 1000));
    add("max_pool2d", () -> torch.max_pool2d(images, 2, 2));
    add("avg_pool2d", () -> torch.avg_pool2d(images, 2, 2));
    add("adaptive_avg_pool2d", () -> torch.adaptive_avg_pool2d(images, 7, 7));
    add("conv2d_3x3", () -> torch.conv2d(images, kernel));
    add("conv_transpose2d_3x3", () -> torch.conv_transpose2d(images, kernel));
    add("interpolate_bilinear", () -> torch.upsample_bilinear2d(images, twice, false));
    add("pad_reflect", () -> torch.reflection_pad2d(images, 2, 2, 2, 2));
    add(
        "unfold",
        () ->
            torch.im2col(
                images,
                new long[] {3, 3},
                new long[] {1, 1},
                new long[] {1, 1},
                new long[] {1, 1}));
    add("grid_sample", () -> torch.grid_sampler(images, grid, 0, 0, false));
    add("embedding", () -> torch.embedding(table, words));
    add("cross_entropy", () -> torch.cross_entropy_loss(x, labels));
    add("cosine_similarity", () -> torch.cosine_similarity(x, x, 1, 1e-8));
    add("attention", () -> torch.scaled_dot_product_attention(heads, heads, heads));
    add("gelu", () -> torch.gelu(x));
    add("glu", () -> torch.glu(x, 1));
    add("prelu", () -> torch.prelu(images, weight));
    add("group_norm", () -> torch.group_norm(images, 4));
    add(
        "instance_norm",
        () ->
            torch.instance_norm(
                images,
                new TensorOptional(),
                new TensorOptional(),
                new TensorOptional(),
                new TensorOptional(),
                true,
                0.1,
                1e-5,
                true));
  }

  private void windows() {
    Tensor images = randn(16, 16, 64, 64);
    Tensor volumes = randn(4, 8, 32, 32, 32);
    Tensor cube = randn(8, 8, 3, 3, 3);
    var twice = new LongArrayRef(new LongPointer(128, 128), 2);
    var none = new LongOptional();
    long[] one = {1, 1};
    long[] two = {2, 2};
    long[] three = {3, 3};
    add("max_pool2d_3x3", () -> torch.max_pool2d(images, three, two, one, one, false));
    add("avg_pool2d_3x3", () -> torch.avg_pool2d(images, three, one, one, false, true, none));
    add("max_pool3d", () -> torch.max_pool3d(volumes, 2, 2, 2));
    add("avg_pool3d", () -> torch.avg_pool3d(volumes, 2, 2, 2));
    add("conv3d", () -> torch.conv3d(volumes, cube));
    add("adaptive_max_pool2d", () -> torch.adaptive_max_pool2d(images, 7, 7));
    add("interpolate_nearest", () -> torch.upsample_nearest2d(images, twice));
    add("interpolate_bicubic", () -> torch.upsample_bicubic2d(images, twice, false));
    add("pad_constant", () -> torch.constant_pad_nd(images, 2, 2, 2, 2));
    add("pixel_shuffle", () -> torch.pixel_shuffle(images, 2));
    addGradient("avg_pool2d_gradient", images, x -> torch.avg_pool2d(x, 2, 2));
    addGradient(
        "avg_pool2d_3x3_gradient",
        images,
        x -> torch.avg_pool2d(x, three, one, one, false, true, none));
    addGradient("avg_pool3d_gradient", volumes, x -> torch.avg_pool3d(x, 2, 2, 2));
    addGradient(
        "interpolate_bilinear_gradient", images, x -> torch.upsample_bilinear2d(x, twice, false));
    addGradient("interpolate_nearest_gradient", images, x -> torch.upsample_nearest2d(x, twice));
  }

  private void wholeImages() {
    Tensor small = randn(16, 1024, 7, 7);
    Tensor images = randn(16, 16, 64, 64);
    Tensor rows = randn(16, 64, 1024);
    Tensor grid = rand(16, 64, 64, 2).mul(scalar(2)).sub(scalar(1));
    add("avg_pool1d", () -> torch.avg_pool1d(rows, 4));
    add("adaptive_avg_pool2d_to_1", () -> torch.adaptive_avg_pool2d(small, 1, 1));
    addGradient("adaptive_avg_pool2d_gradient", images, x -> torch.adaptive_avg_pool2d(x, 7, 7));
    addGradient(
        "adaptive_avg_pool2d_to_1_gradient", small, x -> torch.adaptive_avg_pool2d(x, 1, 1));
    addGradient("grid_sample_gradient", images, x -> torch.grid_sampler(x, grid, 0, 0, false));
  }
}
