// Writes messages with Kafka's own classes: name, version and JSON a line in, the bytes in hex a line out.
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Scanner;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

public class WriteMessages {
    public static void main(String[] arguments) throws Exception {
        ObjectMapper json = new ObjectMapper();
        Scanner lines = new Scanner(System.in, "UTF-8");
        while (lines.hasNextLine()) {
            JsonNode line = json.readTree(lines.nextLine());
            short version = (short) line.get("version").asInt();
            String name = "org.apache.kafka.common.message." + line.get("message").asText() + "Data";
            Message message = (Message) Class.forName(name + "JsonConverter")
                .getMethod("read", JsonNode.class, short.class)
                .invoke(null, line.get("value"), version);
            ObjectSerializationCache cache = new ObjectSerializationCache();
            ByteBuffer bytes = ByteBuffer.allocate(message.size(cache, version));
            message.write(new ByteBufferAccessor(bytes), cache, version);
            System.out.println(HexFormat.of().formatHex(bytes.array()));
        }
    }
}
