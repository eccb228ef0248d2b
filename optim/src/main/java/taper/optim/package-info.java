/// Optimizers and learning-rate schedules.
///
/// ```java
/// var optimizer = new AdamW(model.parameters(), o -> o.lr(3e-4));
/// var schedule = new OneCycleLR(optimizer, 3e-3, totalSteps);
/// optimizer.zeroGrad();
/// loss.backward();
/// optimizer.step();
/// schedule.step();
/// ```
///
/// - An [taper.optim.Optimizer] changes parameters along their gradients; it takes tensors, not modules.
/// - A [taper.optim.ParameterGroup] is parameters with options of their own.
/// - An [taper.optim.LRScheduler] changes the rates of the groups as training goes on.
///
/// States have PyTorch's shape and keys, so that training goes on from PyTorch's checkpoints.
package taper.optim;
