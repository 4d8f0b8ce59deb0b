import java.util.*;
import org.apache.kafka.clients.producer.*;
public class Again {
    public static void main(String[] args) throws Exception {
        Properties p = new Properties();
        p.put("bootstrap.servers", "127.0.0.1:29592");
        p.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        p.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        p.put("enable.idempotence", "false");
        KafkaProducer<String, String> producer = new KafkaProducer<>(p);
        for (int i = 0; i < 20; i++) producer.send(new ProducerRecord<>("table", 0, "new" + i % 3, "v" + i)).get();
        Thread.sleep(8000);
        Runtime.getRuntime().halt(0);
    }
}
