/// Runs calls that PyTorch has made before, and tells where Taper's results differ.
///
/// ```java
/// var report = Golden.run(Path.of("reference/opinfo"), Golden.everything());
/// System.out.println(report.summary());
/// ```
///
/// * A _set_ is a JSON file of cases and a safetensors file of their tensors, see [GoldenSet].
/// * A _binding_ says how PyTorch's function of a name is called in Taper, see [Bindings]; `taper.golden.bindings` holds
///   them, by topic. They are also what the compatibility table is made of, see [Compatibility].
/// * An _outcome_ is passed, failed or unsupported; nothing is left out of the count.
package taper.golden;
