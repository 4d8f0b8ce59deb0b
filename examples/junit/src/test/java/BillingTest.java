import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BillingTest {
    @TempDir
    static Path folder;

    static Tidemark tidemark;
    String empty;

    @BeforeAll
    static void start() throws Exception {
        tidemark = new Tidemark(folder);
    }

    @AfterAll
    static void stop() throws Exception {
        tidemark.close();
    }

    @BeforeEach
    void prepare() throws Exception {
        empty = Tidemark.text(tidemark.call("POST", "/snapshots", null), "id");
        tidemark.call("POST", "/seed", "{\"topics\": {\"orders\": {\"records\": [\"one\", \"two\"]}}}");
    }

    @AfterEach
    void restore() throws Exception {
        tidemark.call("POST", "/snapshots/" + empty + "/restore", null);
    }

    @Test
    void aGroupContinuesAfterSixDays() throws Exception {
        assertEquals("one", read("billing"));
        tidemark.call("POST", "/clock/advance", "{\"days\": 6}");
        assertEquals("two", read("billing"));
    }

    @Test
    void aGroupStartsOverAfterEightDays() throws Exception {
        assertEquals("one", read("billing"));
        tidemark.call("POST", "/clock/advance", "{\"days\": 8}");
        assertEquals("expired", Tidemark.text(tidemark.call("GET", "/expiry/log?group=billing", null), "cause"));
        assertEquals("one", read("billing"));
    }

    /** Reads and commits one order as a member of the group. */
    private static String read(String group) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", tidemark.bootstrapServers, "group.id", group,
                "auto.offset.reset", "earliest", "enable.auto.commit", false, "max.poll.records", 1);
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
            throw new AssertionError("no order arrived within 60 s");
        }
    }
}
