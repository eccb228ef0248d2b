/// How PyTorch's functions are called in Taper, a class a topic.
package taper.golden.bindings;
