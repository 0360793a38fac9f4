// Reads answers of tomorrow with the client that OpenAPI Generator makes; writes what it refuses.
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import org.openapitools.client.ApiClient;

public class Answers {
  public static void main(String[] arguments) throws Exception {
    ObjectMapper mapper = ApiClient.createDefaultObjectMapper();
    JsonNode task = new ObjectMapper().readTree(new File(arguments[0]));
    String newWord = task.get("newWord").asText();
    for (JsonNode answer : task.get("answers")) {
      JsonNode place = answer.get("place");
      String model = answer.get("model").asText();
      String name = model + (place == null ? " with new fields" : ": " + place.asText());
      try {
        Class<?> type = Class.forName("org.openapitools.client.model." + model);
        Object read = mapper.readValue(answer.get("body").toString(), type);
        if (place != null && !mapper.writeValueAsString(read).contains(newWord)) {
          System.out.println(name + " is lost");
        }
      } catch (Exception refused) {
        String message = String.valueOf(refused.getMessage()).replaceAll("\\s+", " ");
        System.out.println(name + " is refused: " + message);
      }
    }
  }
}
