/// Models for images, with torchvision's structure, names and initial values.
///
/// ```java
/// ResNet model = ResNet.resnet18(o -> o.numClasses(10));
/// Tensor logits = model.call(images); // [n 3 h w] -> [n 10]
/// ```
///
/// Their state dicts have torchvision's keys, so that its files can be loaded.
package taper.vision.models;
