// Reads one line of JSON: {"names": [...], "expressions": [...]}. Prints for each expression one line of JSON: the
// error of RE2/J, null if Kafka accepts the expression, and the names that it matches.

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.InvalidRegularExpression;

public class Expressions {
    public static void main(String[] args) throws Exception {
        ObjectMapper json = new ObjectMapper();
        Map<String, List<String>> asked = json.readValue(System.in, Map.class);
        for (String expression : asked.get("expressions")) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("expression", expression);
            String error = null;
            List<String> matches = new ArrayList<>();
            try {
                Pattern pattern = Pattern.compile(expression);
                for (String name : asked.get("names")) if (pattern.matcher(name).matches()) matches.add(name);
            } catch (PatternSyntaxException ex) {
                error = ex.getDescription();
            } catch (RuntimeException | StackOverflowError ex) {
                error = "! " + ex.getClass().getName();
            }
            line.put("error", error);
            line.put("matches", matches);
            System.out.println(json.writeValueAsString(line));
        }
    }
}
