/// Layers: a model is a module whose fields are layers and parameters.
package taper.nn;
