package taper.nn;

import taper.tensor.Tensor;

/// Channels in another order: the first of each group, then the second of each, and so on.
///
/// - Shape: `[n c *] -> [n c *]`
public final class ChannelShuffle extends Layer {
  private final int groups;

  /// @param groups into how many groups the channels fall
  public ChannelShuffle(int groups) {
    Sizes.positive("ChannelShuffle", "groups", groups);
    this.groups = groups;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.channelShuffle(groups);
  }

  @Override
  protected String extraRepr() {
    return "groups=" + groups;
  }
}
