import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** A test as for Apache Kafka: only the name of the image differs. */
@Testcontainers
class BillingTest {
    @Container
    static final KafkaContainer kafka = new KafkaContainer(
            DockerImageName.parse("tidemark:8.0.0").asCompatibleSubstituteFor("apache/kafka"));

    @Test
    void aGroupContinuesWhereItLeft() throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka.getBootstrapServers());
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>("orders", "one")).get();
            producer.send(new ProducerRecord<>("orders", "two")).get();
        }
        var billing = new Billing(kafka.getBootstrapServers());
        assertEquals("one", billing.next());
        assertEquals("two", billing.next());
    }
}
