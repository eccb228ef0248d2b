package taper.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// What the compiled classes may use, module by module.
final class ClassRulesTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("taper");

  @Test
  void onlyTheCpuBackendReachesNativeCodeAndIncubatingVectors() {
    noClasses()
        .that()
        .resideOutsideOfPackages("taper.cpu..", "taper.testing.fuzz..") // which makes guard pages
        .should()
        .dependOnClassesThat(resideInAPackage("jdk.incubator.."))
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(Linker.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(SymbolLookup.class)
        .orShould()
        .callMethod(MemorySegment.class, "reinterpret", long.class)
        .orShould()
        .callMethod(System.class, "load", String.class)
        .orShould()
        .callMethod(System.class, "loadLibrary", String.class)
        .check(CLASSES);
  }

  @Test
  void nobodyUsesUnsafe() {
    noClasses()
        .should()
        .dependOnClassesThat(resideInAPackage("sun.."))
        .orShould()
        .dependOnClassesThat(resideInAPackage("jdk.internal.."))
        .check(CLASSES);
  }

  @Test
  void kernelsNeverSeeTensors() {
    noClasses()
        .that()
        .resideInAPackage("taper.cpu..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("taper.tensor.Tensor")
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void optimizersDoNotSeeModules() {
    noClasses()
        .that()
        .resideInAPackage("taper.optim..")
        .should()
        .dependOnClassesThat(resideInAPackage("taper.nn.."))
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void fileFormatsDoNotSeeModules() {
    noClasses()
        .that()
        .resideInAPackage("taper.serialization..")
        .should()
        .dependOnClassesThat(resideInAPackage("taper.nn.."))
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  /// What is in force on one thread is read and written at every call of an operator, by one package beside the exported
  /// one: accessors would say nothing that the names of the fields do not.
  @Test
  void noStateIsPublic() {
    noFields()
        .that()
        .areNotStatic()
        .and()
        .areDeclaredInClassesThat()
        .arePublic()
        .and()
        .areDeclaredInClassesThat()
        .doNotHaveFullyQualifiedName("taper.tensor.internal.Context")
        .should()
        .bePublic()
        .check(CLASSES);
  }

  /// Memory, threads and executable memory are the process's own, so their accounts are too. Nothing else is.
  @Test
  void staticFieldsAreFinal() {
    fields()
        .that()
        .areDeclaredInClassesThat()
        .haveNameNotMatching(
            "taper.tensor.internal.Heap|taper.cpu.parallel.Parallel|taper.cpu.assembler.CodeMemory")
        .and()
        .areStatic()
        .and()
        .doNotHaveModifier(JavaModifier.SYNTHETIC)
        .should()
        .beFinal()
        .check(CLASSES);
  }

  @Test
  void onlyProgramsPrint() {
    noClasses()
        .that()
        .resideOutsideOfPackages("taper.cli..", "taper.examples..", "taper.benchmarks..")
        .should()
        .accessField(System.class, "out")
        .check(CLASSES);
  }

  @Test
  void nobodySleeps() {
    noClasses()
        .should()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .callMethod(Thread.class, "sleep", Duration.class)
        .check(CLASSES);
  }
}
