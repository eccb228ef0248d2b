/// Calls that nobody thought of: [taper.testing.fuzz.Fuzzer] draws them from the declarations of operators and from the public
/// methods of classes, makes them in a process of its own between guard pages, and reports what no program may see.
///
/// ```java
/// FuzzReport report = new Fuzzer().of(MyOperators.class).run(seed, 10_000, Duration.ofMinutes(1));
/// assertThat(report.findings()).isEmpty();
/// ```
///
/// A finding is a line such as `conv2d {1 1 0 0 1 1 1} <f32[1 2 5 5]> <f32[3 2 2 2]> <none> BACKWARD`: an operator, its attributes, its
/// inputs; or a method with its arguments, `Tensor.sum(int[],boolean) <f32[3 4]> {1} true backward`. [taper.testing.fuzz.Fuzzer#make]
/// makes such calls again.
@org.jspecify.annotations.NullMarked
package taper.testing.fuzz;
