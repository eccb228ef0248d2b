package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Buffer;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.ShapeException;
import taper.tensor.StateDictException;
import taper.tensor.Tensor;
import taper.tensor.UnsupportedException;

final class ModuleTest {

  /// `x · weight + shift`, with one parameter and one buffer.
  static class Scale extends Module {
    private final Parameter weight;
    private final Buffer shift;

    Scale(float... values) {
      weight = new Parameter(Tensor.of(values));
      shift = new Buffer(Tensor.zeros(values.length));
    }

    @Override
    protected Tensor forward(Tensor x) {
      return x.mul(weight).add(shift);
    }

    @Override
    protected String extraRepr() {
      return "size=" + weight.numel();
    }
  }

  static final class Net extends Module {
    private final Scale first = new Scale(1, 2);

    @Key("second_one")
    private final Scale secondOne = new Scale(3, 4);

    private final @Nullable Module absent = null;
    private final transient Module borrowed = first;
    private final Parameter gain = new Parameter(Tensor.of(new float[] {5, 6}));

    @Override
    protected Tensor forward(Tensor x) {
      assertThat(absent).isNull();
      return secondOne.call(borrowed.call(x)).mul(gain);
    }
  }

  @Test
  void fieldsAreRegisteredInTheOrderOfTheirDeclaration() {
    var net = new Net();

    assertThat(net.namedParameters().keySet())
        .containsExactly("gain", "first.weight", "second_one.weight");
    assertThat(net.namedBuffers().keySet()).containsExactly("first.shift", "second_one.shift");
    assertThat(net.namedModules().keySet()).containsExactly("", "first", "second_one");
    assertThat(net.children()).hasSize(2);
    assertThat(net.stateDict().keySet())
        .containsExactly(
            "gain", "first.weight", "first.shift", "second_one.weight", "second_one.shift");
  }

  static class Named extends Scale {
    private final Parameter own = new Parameter(Tensor.of(new float[] {1}));

    Named() {
      super(1, 2);
      registerParameter("late", own);
    }
  }

  @Test
  void fieldsOfSuperclassesComeFirstAndAnObjectWithTwoNamesIsCountedOnce() {
    var named = new Named();

    assertThat(named.stateDict().keySet()).containsExactly("weight", "own", "late", "shift");
    assertThat(named.namedParameters().keySet()).containsExactly("weight", "own");
  }

  static final class Listing extends Module {
    private final List<Scale> layers = List.of(new Scale(1));

    List<Scale> layers() {
      return layers;
    }
  }

  @Test
  void aListOfModulesAsAFieldIsAnErrorThatNamesTheFix() {
    assertThatThrownBy(Listing::new)
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "Listing: modules must be fields of type Module, ModuleList or ModuleDict to be registered, but field 'layers' is a List<Scale>. Declare it as a ModuleList; if its modules are registered elsewhere, make the field transient.");
  }

  static final class Mapping extends Module {
    private final Map<String, Module> heads = new LinkedHashMap<>();

    Map<String, Module> heads() {
      return heads;
    }
  }

  static final class Arrays extends Module {
    private final Scale[] blocks = {};

    Scale[] blocks() {
      return blocks;
    }
  }

  static final class Raw extends Module {
    private final List<Object> things = new ArrayList<>();

    Raw() {
      things.add(new Scale(1));
    }
  }

  @Test
  void mapsArraysAndListsThatTurnOutToHoldModulesAreErrorsToo() {
    assertThatThrownBy(Mapping::new)
        .hasMessageContaining("field 'heads' is a Map<String, Module>. Declare it as a ModuleDict");
    assertThatThrownBy(Arrays::new)
        .hasMessageContaining("field 'blocks' is a Scale[]. Declare it as a ModuleList");
    assertThatThrownBy(() -> new Raw().parameters())
        .hasMessageContaining("field 'things' is a List<Object>. Declare it as a ModuleList");
  }

  @Test
  void printsLikePyTorch() {
    assertThat(new Net())
        .hasToString(
            """
            Net(
              (first): Scale(size=2)
              (second_one): Scale(size=2)
            )\
            """);
    assertThat(new Sequential()).hasToString("Sequential()");
    assertThat(new Sequential(new Scale(1), new Sequential(new Scale(1), new Scale(2))))
        .hasToString(
            """
            Sequential(
              (0): Scale(size=1)
              (1): Sequential(
                (0): Scale(size=1)
                (1): Scale(size=1)
              )
            )\
            """);
  }

  @Test
  void anErrorInsideAModuleBeginsWithItsPath() {
    var model =
        new Sequential(new Scale(1, 2), new Sequential(new Scale(1, 2), new Scale(1, 2, 3)));

    assertThatThrownBy(() -> model.call(Tensor.ones(4, 2)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "1.1 (Scale): mul: shapes must broadcast, but dimension -1 is 2 in self [4, 2] and 3 in other [3]. Sizes must be equal or 1; see unsqueeze and expand.");
    assertThatThrownBy(() -> model.get(0).call(Tensor.ones(3)))
        .hasMessageStartingWith("Scale: mul: shapes must broadcast");
  }

  @Test
  void aModuleWithoutForwardSaysSo() {
    assertThatThrownBy(() -> new ModuleList().call(Tensor.ones(1)))
        .isInstanceOf(UnsupportedException.class)
        .hasMessage(
            "ModuleList: a module called with one tensor must override forward(Tensor), but this one does not. Override it, or use the call method that the class declares.");
  }

  @Test
  void aStateDictWithOtherKeysOrShapesIsListedInATable() {
    var model = new Sequential(new Scale(1, 2), new Scale(3, 4));
    var state = new LinkedHashMap<String, Tensor>(model.stateDict());
    state.remove("0.shift");
    state.put("1.weight", Tensor.zeros(3, 2));
    state.put("2.weight", Tensor.zeros(2));

    assertThatThrownBy(() -> model.loadStateDict(state))
        .isInstanceOf(StateDictException.class)
        .hasMessage(
            """
            Sequential: the state dict must have the module's keys and shapes, but 1 key is missing, 1 key is unexpected and 1 key has another shape.
              key       module   state dict
              0.shift   [2]      missing
              1.weight  [2]      [3, 2]
              2.weight  missing  [2]
            Build the module with the sizes that the state dict was saved with, or leave these keys out of it.\
            """);
    assertThat(model.get(1).parameters().getFirst().toFloatArray()).containsExactly(3, 4);
  }

  @Test
  void looseLoadingReportsTheKeysItLeftAside() {
    var model = new Sequential(new Scale(1, 2));
    Map<String, Tensor> state =
        Map.of("0.weight", Tensor.of(new float[] {7, 8}), "9.weight", Tensor.zeros(2));

    IncompatibleKeys left = model.loadStateDict(state, false);

    assertThat(left.missing()).containsExactly("0.shift");
    assertThat(left.unexpected()).containsExactly("9.weight");
    assertThat(model.parameters().getFirst().toFloatArray()).containsExactly(7, 8);
    assertThatThrownBy(() -> model.loadStateDict(state))
        .hasMessageEndingWith(
            "\nPass strict = false to leave missing keys as they are and to ignore unexpected ones.");
  }

  @Test
  void trainingModeGradientsAndTypesReachEveryModuleInside() {
    var net = new Net();
    net.call(Tensor.ones(2)).sum().backward();

    assertThat(net.eval().modules()).noneMatch(Module::isTraining);
    assertThat(net.train().modules()).allMatch(Module::isTraining);
    assertThat(net.parameters()).allMatch(p -> p.grad() != null);
    net.to(DType.FLOAT64);
    assertThat(net.parameters())
        .allMatch(p -> p.dtype() == DType.FLOAT64 && p.grad().dtype() == p.dtype());
    assertThat(net.buffers()).allMatch(b -> b.dtype() == DType.FLOAT64);
    net.zeroGrad(false);
    assertThat(net.parameters()).allMatch(p -> p.grad().sum().item() == 0);
    net.zeroGrad();
    assertThat(net.parameters()).allMatch(p -> p.grad() == null);
    net.requiresGrad_(false);
    assertThat(net.parameters()).noneMatch(Tensor::requiresGrad);
  }

  @Test
  void applyVisitsTheInnermostModulesFirst() {
    var net = new Net();
    var seen = new ArrayList<Module>();

    net.apply(seen::add);

    assertThat(seen).hasSize(3).last().isSameAs(net);
  }

  @Test
  void hooksSeeAndReplaceInputsAndOutputs() {
    var net = new Net();
    var seen = new ArrayList<String>();
    var before =
        net.registerForwardPreHook((module, inputs) -> {
          seen.add("before " + inputs.getFirst().shape());
          return List.of(inputs.getFirst().add(1.0));
        });
    var after =
        net.registerForwardHook((module, inputs, outputs) -> {
          seen.add("after");
          return List.of(outputs.getFirst().mul(10.0));
        });

    float[] hooked = net.call(Tensor.zeros(2)).toFloatArray();
    before.close();
    after.close();
    float[] plain = net.call(Tensor.ones(2)).toFloatArray();

    assertThat(seen).containsExactly("before [2]", "after");
    assertThat(plain).containsExactly(15, 48);
    assertThat(hooked).containsExactly(150, 480);
  }

  @Test
  void backwardHooksSeeAndReplaceGradients() {
    var scale = new Scale(2, 3);
    var seen = new ArrayList<List<float[]>>();
    scale.registerFullBackwardHook((module, gradInputs, gradOutputs) -> {
      seen.add(
          List.of(gradInputs.getFirst().toFloatArray(), gradOutputs.getFirst().toFloatArray()));
      return List.of(gradInputs.getFirst().mul(100.0));
    });
    Tensor x = Tensor.ones(2).requiresGrad_();

    scale.call(x).sum().backward();

    assertThat(seen).hasSize(1);
    assertThat(seen.getFirst().get(0)).containsExactly(2, 3);
    assertThat(seen.getFirst().get(1)).containsExactly(1, 1);
    assertThat(x.grad().toFloatArray()).containsExactly(200, 300);
  }

  @Test
  void backwardHooksRunForInputsWithoutGradientToo() {
    var scale = new Scale(2, 3);
    var seen = new ArrayList<List<@Nullable Tensor>>();
    scale.registerFullBackwardHook((module, gradInputs, gradOutputs) -> {
      seen.add(gradInputs);
      return null;
    });

    scale.call(Tensor.ones(2)).sum().backward();

    assertThat(seen).hasSize(1);
    assertThat(seen.getFirst()).containsExactly((Tensor) null);
    assertThat(scale.parameters().getFirst().grad().toFloatArray()).containsExactly(1, 1);
  }

  @Test
  void listsAndDictsNameTheirModulesAndCheckTheirPositions() {
    var list = new ModuleList(new Scale(1), new Scale(2));
    var dict = new ModuleDict().put("left", new Scale(1)).put("right", new Scale(2));

    assertThat(list.namedParameters().keySet()).containsExactly("0.weight", "1.weight");
    assertThat(dict.namedParameters().keySet()).containsExactly("left.weight", "right.weight");
    assertThat(list.get(-1)).isSameAs(list.get(1));
    assertThatThrownBy(() -> list.get(2))
        .hasMessage("ModuleList: the index must be in -2..1, but is 2.");
    assertThatThrownBy(() -> dict.get("up"))
        .hasMessage("ModuleDict: the key must be one of [left, right], but is 'up'.");
    assertThatThrownBy(() -> new Sequential().append("a.b", new Scale(1)))
        .hasMessage(
            "registerModule: names must not be empty and not contain a dot, but the name is 'a.b'.");
  }

  @Test
  void stateDictsShareMemoryWithTheModule() {
    var scale = new Scale(1, 2);

    Autograd.noGrad(() -> scale.stateDict().get("weight").zero_());

    assertThat(scale.parameters().getFirst().toFloatArray()).containsExactly(0, 0);
  }
}
