package example;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The application under test: a member of the group "billing", which reads one order at a time. */
final class Billing {
    private final Map<String, Object> settings;

    Billing(String bootstrapServers) {
        settings = Map.of(
                "bootstrap.servers", bootstrapServers, "group.id", "billing",
                "auto.offset.reset", "earliest", "enable.auto.commit", false, "max.poll.records", 1);
    }

    /** Joins the group, reads and commits one order, and leaves. */
    String next() {
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("orders"));
            for (int waited = 0; waited < 60; waited++) {
                for (ConsumerRecord<String, String> order : consumer.poll(Duration.ofSeconds(1))) {
                    consumer.commitSync(Map.of(
                            new TopicPartition(order.topic(), order.partition()),
                            new OffsetAndMetadata(order.offset() + 1)));
                    return order.value();
                }
            }
            throw new IllegalStateException("no order arrived within 60 s");
        }
    }
}
