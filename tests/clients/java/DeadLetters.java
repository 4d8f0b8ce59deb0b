// A dead-letter queue of a share group (KIP-1191) with Kafka's own clients: java -cp 'kafka/*' DeadLetters.java BOOTSTRAP
//
// A member accepts, rejects and releases records. Prints the dead letters, with their headers.

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class DeadLetters {
    static final PrintStream FACTS = System.out;
    static final int WAIT_MS = 30_000;
    static final String GROUP = "workers";
    static final String TOPIC = "orders";
    static final String QUEUE = "dlq.orders";

    public static void main(String[] args) throws Exception {
        System.setOut(System.err); // the log of Kafka's client
        Map<String, Object> bootstrap = Map.of("bootstrap.servers", args[0]);
        try (Admin admin = Admin.create(bootstrap)) {
            Map<String, String> enabled = Map.of("errors.deadletterqueue.group.enable", "true");
            admin.createTopics(List.of(
                new NewTopic(TOPIC, 1, (short) 1), new NewTopic(QUEUE, 1, (short) 1).configs(enabled)
            )).all().get();
            List<AlterConfigOp> changes = new ArrayList<>();
            for (Map.Entry<String, String> each : Map.of(
                "share.auto.offset.reset", "earliest", "share.delivery.count.limit", "2",
                "errors.deadletterqueue.topic.name", QUEUE, "errors.deadletterqueue.copy.record.enable", "true"
            ).entrySet()) {
                changes.add(new AlterConfigOp(new ConfigEntry(each.getKey(), each.getValue()), AlterConfigOp.OpType.SET));
            }
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, GROUP), changes)).all().get();
        }
        Map<String, Object> lingers = Map.of("bootstrap.servers", args[0], "linger.ms", 1000, "compression.type", "gzip");
        try (Producer<String, String> producer = new KafkaProducer<>(lingers, new StringSerializer(), new StringSerializer())) {
            for (String value : List.of("a", "b", "c", "d")) {
                producer.send(new ProducerRecord<>(TOPIC, "key-" + value, value));
            }
        }
        process(args[0]);
        letters(args[0]);
    }

    // Accepts a, rejects b, releases c and d until they are delivered no more.
    static void process(String bootstrap) {
        Map<String, Object> settings = Map.of(
            "bootstrap.servers", bootstrap, "group.id", GROUP, "share.acknowledgement.mode", "explicit");
        try (KafkaShareConsumer<String, String> member =
                 new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            member.subscribe(List.of(TOPIC));
            int left = 6; // a and b once, c and d twice
            long end = System.currentTimeMillis() + WAIT_MS;
            while (left > 0 && System.currentTimeMillis() < end) {
                for (ConsumerRecord<String, String> each : member.poll(Duration.ofMillis(200))) {
                    FACTS.println("received " + each.value() + " in delivery " + each.deliveryCount().get());
                    member.acknowledge(each, switch (each.value()) {
                        case "a" -> AcknowledgeType.ACCEPT;
                        case "b" -> AcknowledgeType.REJECT;
                        default -> AcknowledgeType.RELEASE;
                    });
                    left--;
                }
                member.commitSync();
            }
        }
    }

    static void letters(String bootstrap) {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest");
        try (Consumer<String, String> consumer =
                 new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(QUEUE, 0)));
            int left = 3;
            long end = System.currentTimeMillis() + WAIT_MS;
            while (left > 0 && System.currentTimeMillis() < end) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(200))) {
                    FACTS.println("dead letter " + each.offset() + ": " + each.key() + " " + each.value());
                    for (Header header : each.headers()) {
                        FACTS.println("  " + header.key() + ": " + new String(header.value()));
                    }
                    left--;
                }
            }
        }
    }
}
