// A consumer of the protocol of KIP-848 with Kafka's client. child.py documents its commands and facts; of the commands it
// has only `consume`. Usage: java -cp 'kafka/*' Consumer.java BOOTSTRAP [SETTING=VALUE ...]

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

public class Consumer {
    static final PrintStream FACTS = System.out;
    static final ObjectMapper JSON = new ObjectMapper();
    static final Duration POLL = Duration.ofMillis(200);

    public static void main(String[] args) throws Exception {
        System.setOut(System.err); // the log of Kafka's client
        Properties settings = new Properties();
        settings.put("bootstrap.servers", args[0]);
        settings.put("group.protocol", "consumer");
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "earliest");
        settings.put("max.poll.records", "200");
        settings.put("reconnect.backoff.max.ms", "500");
        for (int i = 1; i < args.length; i++) {
            String[] setting = args[i].split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            JsonNode command = JSON.readTree(line);
            Thread stopping = new Thread(() -> {
                try {
                    input.readLine();
                } catch (java.io.IOException ended) {
                    throw new IllegalStateException(ended);
                }
            });
            stopping.setDaemon(true);
            stopping.start();
            settings.put("group.id", command.get("group").asText());
            settings.put("client.id", command.get("client_id").asText());
            consume(settings, command.get("topic").asText(), stopping);
            tell("closed", Map.of());
        }
    }

    static void consume(Properties settings, String topic, Thread stopping) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> uncommitted = new TreeMap<>((a, b) -> a.partition() - b.partition());
        StringDeserializer text = new StringDeserializer();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, text, text)) {
            consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    tell("assigned", Map.of("partitions", partitions.stream().map(TopicPartition::partition).toList()));
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    uncommitted.clear();
                    tell("revoked", Map.of("partitions", partitions.stream().map(TopicPartition::partition).toList()));
                }
            });
            while (stopping.isAlive()) {
                List<List<Object>> rows = new ArrayList<>();
                for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                    Map<String, String> headers = new TreeMap<>();
                    for (Header header : record.headers()) {
                        headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
                    }
                    rows.add(List.of(record.partition(), record.offset(), record.key(), record.value(), headers));
                    uncommitted.put(new TopicPartition(topic, record.partition()), new OffsetAndMetadata(record.offset() + 1));
                }
                if (!rows.isEmpty()) {
                    tell("records", Map.of("records", rows));
                }
                commit(consumer, uncommitted);
            }
        }
    }

    static void commit(KafkaConsumer<String, String> consumer, Map<TopicPartition, OffsetAndMetadata> uncommitted) {
        if (uncommitted.isEmpty()) {
            return;
        }
        Map<Integer, Long> offsets = new TreeMap<>();
        uncommitted.forEach((partition, offset) -> offsets.put(partition.partition(), offset.offset()));
        try {
            consumer.commitSync(Map.copyOf(uncommitted), Duration.ofSeconds(10));
        } catch (KafkaException refused) {
            tell("commit_failed", Map.of("error", refused.toString()));
            return;
        }
        tell("committed", Map.of("offsets", offsets));
        uncommitted.clear();
    }

    static synchronized void tell(String event, Map<String, Object> facts) {
        Map<String, Object> line = new TreeMap<>(facts);
        line.put("event", event);
        line.put("at", System.nanoTime() / 1e9);
        try {
            FACTS.println(JSON.writeValueAsString(line));
        } catch (com.fasterxml.jackson.core.JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
