package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Handle;
import taper.tensor.internal.Scope;

/// One checkpointed call of a segment.
///
/// In the first run every tensor that the graph would save is only counted: its place in the count is kept instead. When
/// the backward pass asks for one, the segment runs a second time with inputs cut off from the graph; what that run saves
/// is noted by its place, and handed out until the pass is over. The graph of the second run is never walked: nodes and
/// history are those of the first.
///
/// Both runs are outside of all scopes: a user's code may keep what it makes, and what it does not keep must not wait for
/// the end of a scope, but for the collector. The outputs are the scope's around the call again.
///
/// The inputs are saved like tensors of an operator, before the segment's own hooks are in force. So in a segment inside
/// another one they are a matter of the outer one, which computes them again when the inner one wants to run.
final class Segment {
  private final Function<List<Tensor>, List<Tensor>> body;
  private final CheckpointOptions options;
  private final List<Boolean> wanted; // which inputs require grad
  private final List<Saved> inputs;
  private final List<Place> places = new ArrayList<>();
  private final byte @Nullable [] randomState;
  private final @Nullable Object interpreters;

  private List<@Nullable Noted> recomputed = List.of();

  /// What stands for a saved tensor: its place in the count, and what the second run must save there.
  private record Place(int index, DType dtype, long[] sizes) {}

  /// A tensor that the second run saved, and the version it had then.
  private record Noted(Tensor tensor, int version) {}

  private Segment(
      Function<List<Tensor>, List<Tensor>> body, List<Tensor> inputs, CheckpointOptions options) {
    this.body = body;
    this.options = options;
    this.wanted = inputs.stream().map(Tensor::requiresGrad).toList();
    this.randomState = options.preserveRngState() ? Generator.global().state() : null;
    this.interpreters = Context.current().interpreters;
    this.inputs = inputs.stream().map(Saved::new).toList();
  }

  /// Runs `body` for the first time.
  static List<Tensor> run(
      Function<List<Tensor>, List<Tensor>> body, List<Tensor> inputs, CheckpointOptions options) {
    var segment = new Segment(body, inputs, options);
    Context context = Context.current();
    if (context.hasScope()) {
      Scope.atEnd(context, segment::releaseInputs);
    }
    inputs.forEach(input -> input.shown(context));
    long before = Handle.lastId();
    Scope inside = Scope.leaveAll(context);
    List<Tensor> outputs;
    try (var _ = SavedTensorHooks.use(segment.new First())) {
      outputs = body.apply(inputs);
    } finally {
      Scope.reenterAll(context, inside);
    }
    for (Tensor output : Checks.given("Checkpoint", "what the segment returns", outputs)) {
      Checks.given("Checkpoint", "an output of the segment", output).entrust(context, before);
    }
    if (segment.places.isEmpty()) {
      segment.releaseInputs();
    }
    return outputs;
  }

  private void releaseInputs() {
    inputs.forEach(Saved::release);
  }

  /// Counts what the first run saves, and has the second one make it.
  private final class First implements SavedTensorHooks {
    private int held;

    @Override
    public Object pack(Tensor tensor) {
      var place = new Place(places.size(), tensor.dtype(), tensor.sizes());
      places.add(place);
      held++;
      return place;
    }

    @Override
    public Tensor unpack(Object packed) {
      int index = ((Place) packed).index;
      if (recomputed.isEmpty()) {
        runAgain();
      }
      Noted noted = recomputed.get(index);
      assert noted != null;
      Tensor tensor = noted.tensor;
      if (tensor.version() != noted.version) {
        throw new AutogradException(
            "Checkpoint: what the segment saves for its backward pass must stay as it is, but it changes a %s tensor of shape %s in place afterwards. Use the out-of-place form of the operator that changes it, or clone() the tensor first."
                .formatted(tensor.dtype(), tensor.shape()));
      }
      return tensor;
    }

    @Override
    public void release(Object packed) {
      int index = ((Place) packed).index;
      if (!recomputed.isEmpty()) {
        Noted noted = recomputed.set(index, null);
        if (noted != null) {
          noted.tensor.unpin();
        }
      }
      if (--held == 0) {
        releaseInputs();
      }
    }
  }

  /// Notes what the second run saves.
  private final class Second implements SavedTensorHooks {
    private final List<@Nullable Noted> noted = new ArrayList<>();

    @Override
    public Object pack(Tensor tensor) {
      int index = noted.size();
      if (index >= places.size()) {
        if (options.earlyStop()) {
          throw new Stop(this); // somebody has caught the first
        }
        throw new AutogradException(
            "Checkpoint: the segment must do the same in its second run as in the first, but saves more than the %d tensors of the first. Let it depend on nothing but its inputs."
                .formatted(places.size()));
      }
      check(places.get(index), tensor);
      tensor.pin();
      noted.add(new Noted(tensor, tensor.version()));
      if (options.earlyStop() && noted.size() == places.size()) {
        throw new Stop(this);
      }
      return tensor.detach();
    }

    @Override
    public Tensor unpack(Object packed) {
      return (Tensor) packed; // a backward pass inside the segment
    }

    private void check(Place place, Tensor tensor) {
      if (options.determinismCheck()
          && (place.dtype != tensor.dtype() || !Arrays.equals(place.sizes, tensor.sizes()))) {
        throw new AutogradException(
            "Checkpoint: the segment must do the same in its second run as in the first, but tensor %d that it saves is %s of shape %s, and was %s of shape %s. Let it depend on nothing but its inputs."
                .formatted(
                    place.index,
                    tensor.dtype(),
                    tensor.shape(),
                    place.dtype,
                    Arrays.toString(place.sizes)));
      }
    }
  }

  /// Ends the second run where it has computed enough. Not an error, and never seen by a user.
  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Second run;

    Stop(Second run) {
      super("the second run of a checkpointed segment ends here", null, false, false);
      this.run = run;
    }
  }

  private void runAgain() {
    Context context = Context.current();
    var second = new Second();
    var in = new ArrayList<Tensor>();
    boolean done = false;
    Scope inside = Scope.leaveAll(context);
    try (var _ = Autograd.enableGrad()) {
      for (int i = 0; i < inputs.size(); i++) {
        Tensor input = inputs.get(i).get(null, "input " + i);
        Tensor leaf = Autograd.noGrad(input::detach);
        in.add(wanted.get(i) ? leaf.requiresGrad_() : leaf);
      }
      inAsBefore(context, second, in);
      if (second.noted.size() != places.size()) {
        throw new AutogradException(
            "Checkpoint: the segment must do the same in its second run as in the first, but saved %d tensors instead of %d. Let it depend on nothing but its inputs."
                .formatted(second.noted.size(), places.size()));
      }
      done = true;
    } finally {
      Scope.reenterAll(context, inside);
      inputs.forEach(Saved::used);
      if (!done) {
        release(second.noted);
      }
    }
    List<@Nullable Noted> noted = second.noted;
    recomputed = noted;
    List<Runnable> endings = context.passEndings;
    if (endings != null) {
      endings.add(() -> {
        recomputed = recomputed == noted ? List.of() : recomputed;
        release(noted);
      });
    }
  }

  /// Runs the body with the random numbers and interpreters of the first run.
  private void inAsBefore(Context context, Second second, List<Tensor> in) {
    Generator generator = Generator.global();
    byte[] state = randomState == null ? null : generator.state();
    Object before = context.interpreters;
    context.interpreters = interpreters;
    if (randomState != null) {
      generator.loadState(randomState);
    }
    try (var _ = SavedTensorHooks.use(second)) {
      List<Tensor> _ = body.apply(in);
    } catch (Stop stop) {
      if (stop.run != second) {
        throw stop; // of a segment around this one
      }
    } finally {
      context.interpreters = before;
      if (state != null) {
        generator.loadState(state);
      }
    }
  }

  private static void release(List<@Nullable Noted> all) {
    for (Noted noted : all) {
      if (noted != null) {
        noted.tensor.unpin();
      }
    }
    all.clear();
  }
}
