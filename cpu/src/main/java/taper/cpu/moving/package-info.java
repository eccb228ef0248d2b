/// What moves elements without looking at them: copies between layouts, picking and placing by index.
package taper.cpu.moving;
