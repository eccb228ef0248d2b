package taper.golden;

import taper.golden.bindings.AutogradBindings;
import taper.golden.bindings.ComplexBindings;
import taper.golden.bindings.CreationBindings;
import taper.golden.bindings.FunctionalBindings;
import taper.golden.bindings.InPlaceBindings;
import taper.golden.bindings.IndexingBindings;
import taper.golden.bindings.LinalgBindings;
import taper.golden.bindings.MaskedBindings;
import taper.golden.bindings.MemberBindings;
import taper.golden.bindings.PointwiseBindings;
import taper.golden.bindings.ProductBindings;
import taper.golden.bindings.RandomBindings;
import taper.golden.bindings.RecurrentBindings;
import taper.golden.bindings.ReductionBindings;
import taper.golden.bindings.ShapeBindings;
import taper.golden.bindings.SortingBindings;
import taper.golden.bindings.SpecialBindings;
import taper.golden.bindings.SpectralBindings;
import taper.golden.bindings.WindowBindings;

/// The topics of the bindings.
final class Topics {
  private Topics() {}

  static void addTo(Bindings table) {
    ComplexBindings.addTo(table);
    SpectralBindings.addTo(table);
    LinalgBindings.addTo(table);
    ProductBindings.addTo(table);
    PointwiseBindings.addTo(table);
    SpecialBindings.addTo(table);
    WindowBindings.addTo(table);
    FunctionalBindings.addTo(table);
    ShapeBindings.addTo(table);
    IndexingBindings.addTo(table);
    CreationBindings.addTo(table);
    RandomBindings.addTo(table);
    RecurrentBindings.addTo(table);
    ReductionBindings.addTo(table);
    SortingBindings.addTo(table);
    MaskedBindings.addTo(table);
    AutogradBindings.addTo(table);
    MemberBindings.addTo(table);
    InPlaceBindings.addTo(table);
  }
}
