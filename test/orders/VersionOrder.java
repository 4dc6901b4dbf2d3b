import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.maven.artifact.versioning.ComparableVersion;

/** Reads pairs of versions, one in each line, and prints how Maven compares them: -1, 0 or 1. */
public class VersionOrder {
  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] pair = line.split("\t", -1);
      int order = new ComparableVersion(pair[0]).compareTo(new ComparableVersion(pair[1]));
      System.out.println(Integer.signum(order));
    }
  }
}
