import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A module of testcontainers-java starts the image; Kafka's clients produce a record and consume it.
 *
 * <p>usage: WithJava IMAGE apache|confluent|old|old-kraft
 */
public class WithJava {
    interface Kafka {
        String bootstrapServers();
    }

    public static void main(String[] arguments) throws Exception {
        DockerImageName name = DockerImageName.parse(arguments[0]);
        DockerImageName confluents = name.asCompatibleSubstituteFor("confluentinc/cp-kafka");
        GenericContainer<?> container;
        Kafka kafka;
        switch (arguments[1]) {
            case "apache" -> {
                var made = new org.testcontainers.kafka.KafkaContainer(
                        name.asCompatibleSubstituteFor("apache/kafka"));
                container = made;
                kafka = made::getBootstrapServers;
            }
            case "confluent" -> {
                var made = new org.testcontainers.kafka.ConfluentKafkaContainer(confluents);
                container = made;
                kafka = made::getBootstrapServers;
            }
            case "old", "old-kraft" -> {
                var made = new org.testcontainers.containers.KafkaContainer(confluents);
                container = arguments[1].equals("old") ? made : made.withKraft();
                kafka = made::getBootstrapServers;
            }
            default -> throw new IllegalArgumentException(arguments[1]);
        }
        try (container) {
            container.start();
            Map<String, Object> servers = Map.of("bootstrap.servers", kafka.bootstrapServers());
            try (var producer = new KafkaProducer<>(servers, new StringSerializer(), new StringSerializer())) {
                producer.send(new ProducerRecord<>("orders", "an order")).get();
            }
            Map<String, Object> settings = Map.of(
                    "bootstrap.servers", kafka.bootstrapServers(), "group.id", "billing", "auto.offset.reset", "earliest");
            try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
                consumer.subscribe(List.of("orders"));
                ConsumerRecords<String, String> records = ConsumerRecords.empty();
                for (int waited = 0; records.isEmpty() && waited < 60; waited++) {
                    records = consumer.poll(Duration.ofSeconds(1));
                }
                records.forEach(record -> System.out.println(record.value()));
            }
        }
    }
}
