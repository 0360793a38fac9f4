// Compiles each pattern of a file, one a line, and writes those that Java refuses.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

public class Patterns {
  public static void main(String[] arguments) throws Exception {
    for (String pattern : Files.readAllLines(Path.of(arguments[0]))) {
      try {
        Pattern.compile(pattern);
      } catch (PatternSyntaxException refused) {
        System.out.println(pattern + " " + refused.getDescription());
      }
    }
  }
}
