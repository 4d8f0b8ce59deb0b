// Copies in transactions with Kafka's client. copying.py documents its commands and facts. Argument: the address.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApplicationRecoverableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class Copier {
    static final PrintStream FACTS = System.out;
    static final ObjectMapper JSON = new ObjectMapper();
    static final Duration POLL = Duration.ofMillis(200);
    static final int TARGET_PARTITIONS = 2;
    static final String END = "end";

    public static void main(String[] args) throws Exception {
        System.setOut(System.err); // the log of Kafka's client
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            JsonNode command = JSON.readTree(line);
            if (command.get("do").asText().equals("read")) {
                read(args[0], command.get("topic").asText(), command.get("count").asInt());
                continue;
            }
            try {
                new Copier(args[0], command).copy();
            } catch (KafkaException | IllegalStateException failed) {
                failed.printStackTrace();
                tell("failed", Map.of("error", failed.toString()));
                Runtime.getRuntime().halt(0);
            }
        }
    }

    final JsonNode job;
    final String source;
    final String target;
    final KafkaProducer<String, String> producer;
    final KafkaConsumer<String, String> consumer;

    Copier(String bootstrap, JsonNode job) {
        this.job = job;
        source = job.get("source").asText();
        target = job.get("target").asText();
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("reconnect.backoff.max.ms", "500");
        settings.put("transactional.id", job.get("transactional_id").asText());
        settings.put("transaction.timeout.ms", "6000");
        settings.put("linger.ms", "1");
        producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
        consumer = consumer(bootstrap, job.get("group").asText(), job.get("protocol").asText());
        consumer.subscribe(List.of(source));
    }

    static KafkaConsumer<String, String> consumer(String bootstrap, String group, String protocol) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("reconnect.backoff.max.ms", "500");
        settings.put("group.id", group);
        settings.put("group.protocol", protocol);
        if (protocol.equals("classic")) {
            settings.put("session.timeout.ms", "3000");
            settings.put("heartbeat.interval.ms", "300");
        }
        settings.put("isolation.level", "read_committed");
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", "false");
        settings.put("max.poll.records", "10");
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    void copy() {
        tell("ready", Map.of());
        int number = 0;
        while (true) {
            ConsumerRecords<String, String> records = consumer.poll(POLL);
            if (!records.isEmpty()) {
                transact(records, number++);
            }
        }
    }

    // Copy the records in one transaction, or abort it and read them again.
    void transact(ConsumerRecords<String, String> records, int number) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new TreeMap<>((a, b) -> a.partition() - b.partition());
        String error = "";
        try {
            producer.beginTransaction();
            tell("begun", Map.of());
            for (ConsumerRecord<String, String> record : records) {
                String value = record.partition() + ":" + record.offset();
                int partition = (int) (record.offset() % TARGET_PARTITIONS);
                producer.send(new ProducerRecord<>(target, partition, record.key(), value));
                offsets.put(new TopicPartition(source, record.partition()), new OffsetAndMetadata(record.offset() + 1));
            }
            if (number % 2 == 1) {
                producer.flush();
            }
            tell("sent", Map.of());
            producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
            tell("offsets", Map.of());
            int every = job.get("abort_every").asInt();
            if (number % every != every - 1) {
                commit();
                tell("committed", Map.of("count", records.count()));
                return;
            }
        } catch (ApplicationRecoverableException fenced) {
            throw fenced; // the producer must be created again
        } catch (KafkaException refused) {
            error = refused.toString();
        }
        producer.abortTransaction();
        tell("aborted", Map.of("error", error));
        for (TopicPartition partition : records.partitions()) {
            if (consumer.assignment().contains(partition)) {
                consumer.seek(partition, records.records(partition).get(0).offset());
            }
        }
    }

    void commit() {
        while (true) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException unknown) {
                tell("retried", Map.of());
            }
        }
    }

    static void read(String bootstrap, String topic, int count) {
        List<List<Object>> rows = new ArrayList<>();
        Set<Integer> left = new HashSet<>();
        try (KafkaConsumer<String, String> consumer = consumer(bootstrap, "no group", "classic")) {
            List<TopicPartition> all = IntStream.range(0, count).mapToObj(n -> new TopicPartition(topic, n)).toList();
            all.forEach(partition -> left.add(partition.partition()));
            consumer.assign(all);
            consumer.seekToBeginning(all);
            while (!left.isEmpty()) {
                for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                    if (record.value().equals(END)) {
                        left.remove(record.partition());
                    } else {
                        rows.add(List.of(record.partition(), record.offset(), record.value()));
                    }
                }
            }
        }
        tell("read", Map.of("records", rows));
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
