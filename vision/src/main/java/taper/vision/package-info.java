/// Images: data sets, transforms and models.
package taper.vision;
