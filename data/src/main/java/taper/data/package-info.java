/// Data sets and the loaders that cut them into batches.
package taper.data;
