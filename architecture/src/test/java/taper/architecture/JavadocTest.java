package taper.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExportsTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import taper.architecture.Sources.Source;

/// Everything that another module can name has a comment.
final class JavadocTest {

  @Test
  void everythingPublicInAnExportedPackageHasJavadoc() throws IOException {
    var sources = Sources.all().stream().filter(Source::isMain).map(Source::path).toList();
    var missing = new ArrayList<String>();

    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      var units = files.getJavaFileObjectsFromPaths(sources);
      var task = (JavacTask) compiler.getTask(null, files, null, null, null, units);
      var trees = DocTrees.instance(task);
      var parsed = new ArrayList<CompilationUnitTree>();
      task.parse().forEach(parsed::add);
      var exported = exportedPackages(parsed);
      for (var unit : parsed) {
        if (unit.getPackageName() != null && exported.contains(unit.getPackageName().toString())) {
          new Scanner(trees, missing).scan(unit, null);
        }
      }
    }

    assertThat(missing).isEmpty();
  }

  private static Set<String> exportedPackages(List<CompilationUnitTree> units) {
    var exported = new TreeSet<String>();
    for (var unit : units) {
      if (unit.getModule() != null) {
        for (var directive : unit.getModule().getDirectives()) {
          if (directive instanceof ExportsTree export && export.getModuleNames() == null) {
            exported.add(export.getPackageName().toString());
          }
        }
      }
    }
    return exported;
  }

  /// Visits what is visible, and goes no deeper where something is not.
  private static final class Scanner extends TreePathScanner<Void, Void> {
    private final DocTrees trees;
    private final List<String> missing;

    Scanner(DocTrees trees, List<String> missing) {
      this.trees = trees;
      this.missing = missing;
    }

    @Override
    public Void visitClass(ClassTree type, Void nothing) {
      if (!visible(type.getModifiers())) {
        return null;
      }
      require(type.getSimpleName().toString());
      return super.visitClass(type, null);
    }

    @Override
    public Void visitMethod(MethodTree method, Void nothing) {
      boolean overrides =
          method.getModifiers().getAnnotations().stream()
              .anyMatch(a -> a.getAnnotationType().toString().equals("Override"));
      // A compact constructor is told by its record's comment.
      boolean compact =
          method.getName().contentEquals("<init>")
              && getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.RECORD;
      if (visible(method.getModifiers()) && !overrides && !compact) {
        require(method.getName() + "()");
      }
      return null;
    }

    @Override
    public Void visitVariable(VariableTree field, Void nothing) {
      boolean component = getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.RECORD;
      if (visible(field.getModifiers()) && !component) {
        require(field.getName().toString());
      }
      return null;
    }

    /// Whether another module can name the element at the current path.
    private boolean visible(ModifiersTree modifiers) {
      var flags = modifiers.getFlags();
      var parent = getCurrentPath().getParentPath().getLeaf();
      boolean inInterface =
          parent instanceof ClassTree type
              && (type.getKind() == Tree.Kind.INTERFACE
                  || type.getKind() == Tree.Kind.ANNOTATION_TYPE);
      return flags.contains(Modifier.PUBLIC)
          || flags.contains(Modifier.PROTECTED)
          || (inInterface && !flags.contains(Modifier.PRIVATE));
    }

    private void require(String name) {
      TreePath path = getCurrentPath();
      if (trees.getDocComment(path) == null) {
        var unit = path.getCompilationUnit();
        long line =
            unit.getLineMap()
                .getLineNumber(trees.getSourcePositions().getStartPosition(unit, path.getLeaf()));
        missing.add(
            Path.of(unit.getSourceFile().getName()) + ":" + line + " " + Objects.toString(name));
      }
    }
  }
}
