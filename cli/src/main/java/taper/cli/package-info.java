/// The `taper` command.
package taper.cli;
