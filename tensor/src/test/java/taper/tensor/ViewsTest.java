package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static taper.tensor.Index.at;
import static taper.tensor.Index.ellipsis;
import static taper.tensor.Index.newAxis;
import static taper.tensor.Index.range;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Everything that PyTorch lists under "Tensor Views" is a view here: it shares memory, writes reach the base, versions
/// are counted, and gradients of writes are right.
///
/// Not in the list below: `conj` computes at once, `indices` and `values` belong to sparse tensors.
final class ViewsTest {
  private static final Map<String, UnaryOperator<Tensor>> VIEWS = new TreeMap<>();

  static {
    VIEWS.put("basic indexing", x -> x.get(range(1, 3), at(0), newAxis(), ellipsis()));
    VIEWS.put("asStrided", x -> x.asStrided(new long[] {3, 2}, new long[] {5, 1}, 2));
    VIEWS.put("detach", Tensor::detach);
    VIEWS.put("diagonal", x -> x.diagonal(1, 0, 2));
    VIEWS.put("expand", x -> x.narrow(1, 0, 1).expand(4, 5, 6));
    VIEWS.put("expandAs", x -> x.narrow(0, 1, 1).expandAs(x));
    VIEWS.put("broadcastTo", x -> x.broadcastTo(2, 4, 3, 6));
    VIEWS.put("movedim", x -> x.movedim(0, 2));
    VIEWS.put("moveaxis", x -> x.moveaxis(new int[] {0, 1}, new int[] {1, 2}));
    VIEWS.put("narrow", x -> x.narrow(1, 1, 2));
    VIEWS.put("permute", x -> x.permute(2, 0, 1));
    VIEWS.put("select", x -> x.select(1, 2));
    VIEWS.put("squeeze", x -> x.narrow(1, 2, 1).squeeze());
    VIEWS.put("squeeze of dims", x -> x.narrow(1, 2, 1).squeeze(0, 1));
    VIEWS.put("transpose", x -> x.transpose(0, 1));
    VIEWS.put("swapaxes", x -> x.swapaxes(0, 1));
    VIEWS.put("swapdims", x -> x.swapdims(0, 1));
    VIEWS.put("t", x -> x.select(0, 1).t());
    VIEWS.put("T", x -> x.select(0, 1).T());
    VIEWS.put("H", x -> x.select(0, 1).H());
    VIEWS.put("mT", Tensor::mT);
    VIEWS.put("mH", Tensor::mH);
    VIEWS.put("real", Tensor::real);
    VIEWS.put("unflatten", x -> x.unflatten(2, 2, 3));
    VIEWS.put("unfold", x -> x.unfold(0, 2, 2));
    VIEWS.put("unsqueeze", x -> x.unsqueeze(1));
    VIEWS.put("view", x -> x.view(2, 36));
    VIEWS.put("viewAs", x -> x.viewAs(Tensor.empty(6, 12)));
    VIEWS.put("unbind", x -> x.unbind(1).get(2));
    VIEWS.put("split", x -> x.split(2, 1).getLast());
    VIEWS.put("splitWithSizes", x -> x.splitWithSizes(1, 3).getLast());
    VIEWS.put("tensorSplit", x -> x.tensorSplit(2, 2).getFirst());
    VIEWS.put("hsplit", x -> x.hsplit(3).getFirst());
    VIEWS.put("vsplit", x -> x.vsplit(2).getLast());
    VIEWS.put("dsplit", x -> x.dsplit(new long[] {4}).getFirst());
    VIEWS.put("chunk", x -> x.chunk(2, 0).getFirst());
    VIEWS.put("contiguous", Tensor::contiguous);
    VIEWS.put("flatten", x -> x.flatten(1));
    VIEWS.put("ravel", Tensor::ravel);
    VIEWS.put("reshape", x -> x.reshape(3, -1));
    VIEWS.put("reshapeAs", x -> x.reshapeAs(Tensor.empty(8, 9)));
    VIEWS.put("atleast3d", x -> x.select(0, 0).atleast3d());
    VIEWS.put("meshgrid", x -> Tensor.meshgrid(x.view(-1), Tensor.zeros(2)).getFirst());
    VIEWS.put("broadcastTensors", x -> Tensor.broadcastTensors(x, Tensor.zeros(6)).getFirst());
  }

  /// Those whose elements may be seen several times, and those that several come of, are not written to.
  private static final List<String> NOT_WRITTEN =
      List.of(
          "expand",
          "expandAs",
          "broadcastTo",
          "meshgrid",
          "unbind",
          "split",
          "splitWithSizes",
          "tensorSplit",
          "hsplit",
          "vsplit",
          "dsplit",
          "chunk",
          "detach");

  static List<String> names() {
    return List.copyOf(VIEWS.keySet());
  }

  static List<String> written() {
    return names().stream().filter(name -> !NOT_WRITTEN.contains(name)).toList();
  }

  private static Tensor base() {
    return Tensor.arange(DType.FLOAT64, 0.0, 72.0, 1.0).view(4, 3, 6).detach();
  }

  private static Tensor view(String name, Tensor x) {
    UnaryOperator<Tensor> view = VIEWS.get(name);
    assertThat(view).isNotNull();
    return view.apply(x);
  }

  @ParameterizedTest
  @MethodSource("names")
  void sharesTheMemoryOfItsBase(String name) {
    Tensor x = base();

    Tensor view = view(name, x);

    assertThat(view.sharesStorageWith(x)).isTrue();
    x.fill_(7);
    assertThat(view.toDoubleArray()).containsOnly(7);
  }

  @ParameterizedTest
  @MethodSource("written")
  void writesReachTheBase(String name) {
    Tensor x = base().add(1);

    Tensor view = view(name, x);
    view.fill_(0);

    assertThat(x.eq(0).sum().itemLong()).isEqualTo(view.numel());
  }

  @ParameterizedTest
  @MethodSource("names")
  void writesToTheBaseAreNoticedThroughTheView(String name) {
    Tensor x = base();
    Tensor factor = Tensor.ones(DType.FLOAT64).requiresGrad_();

    Tensor product = view(name, x).mul(factor);
    x.add_(1);

    assertThatThrownBy(() -> product.sum().backward())
        .isInstanceOf(AutogradException.class)
        .hasMessageContaining("has been changed in place since");
  }

  @ParameterizedTest
  @MethodSource("written")
  void gradientsOfWritesAreThoseOfTheSameComputationWithoutViews(String name) {
    Tensor weights = Tensor.linspace(DType.FLOAT64, 0.5, 1.5, 72).view(4, 3, 6);
    Tensor seen = Tensor.zeros(DType.FLOAT64, 4, 3, 6);
    view(name, seen).fill_(1); // 1 where the view looks

    Tensor x = base().requiresGrad_();
    Tensor y = x.mul(1);
    view(name, y).mul_(3);
    y.mul(weights).sum().backward();

    Tensor expected = weights.mul(seen.mul(2).add(1));
    assertThat(x.grad()).isNotNull();
    assertThat(x.grad().toDoubleArray()).containsExactly(expected.toDoubleArray());
  }
}
