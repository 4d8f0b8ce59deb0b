// Deletes groups and offsets with Kafka's own AdminClient: java -cp 'kafka/*' Deletions.java BOOTSTRAP PREFIX
//
// Prints the same lines as ../clients/deletions.py.

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.StringDeserializer;

public class Deletions {
    final String bootstrap;
    final String prefix;
    final Admin admin;

    Deletions(String bootstrap, String prefix) {
        this.bootstrap = bootstrap;
        this.prefix = prefix;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap, "default.api.timeout.ms", 30_000));
    }

    public static void main(String[] args) throws Exception {
        Deletions deletions = new Deletions(args[0], args[1]);
        try (Admin admin = deletions.admin) {
            deletions.tellAll();
        }
    }

    void tellAll() throws Exception {
        admin.createTopics(List.of(new NewTopic(name("read"), 2, (short) 1), new NewTopic(name("other"), 1, (short) 1))).all().get();
        TopicPartition read = place("read", 0);
        TopicPartition other = place("other", 0);
        commit("stable", Map.of(read, 1L, other, 2L));
        commit("simple", Map.of(read, 3L, place("read", 1), 4L, other, 5L));
        try (KafkaConsumer<String, String> member = member("stable", "read")) {
            tell("with a member", deleteOffsets("stable", read, other, place("missing", 0)));
            tell("group with a member", deleteGroups("stable"));
            tell("left", offsets("stable"));
        }
        tell("simple group", deleteOffsets("simple", read));
        tell("left", offsets("simple"));
        tell("unknown group", deleteOffsets("nobody", read));
        tell("groups", deleteGroups("simple", "nobody", "stable"));
        tell("groups again", deleteGroups("simple"));
        tell("left", offsets("simple"));
    }

    String name(String of) {
        return prefix + "-" + of;
    }

    TopicPartition place(String topic, int partition) {
        return new TopicPartition(name(topic), partition);
    }

    void tell(String what, Map<?, ?> found) {
        List<String> entries = new ArrayList<>();
        found.forEach((key, value) -> entries.add(key.equals("") ? value.toString() : key + " " + value));
        entries.sort(null);
        String told = entries.isEmpty() ? "nothing" : String.join(", ", entries);
        System.out.println((what + ": " + told).replace(prefix + "-", ""));
    }

    void commit(String group, Map<TopicPartition, Long> offsets) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> wanted = new HashMap<>();
        offsets.forEach((place, offset) -> wanted.put(place, new OffsetAndMetadata(offset)));
        admin.alterConsumerGroupOffsets(name(group), wanted).all().get();
    }

    KafkaConsumer<String, String> member(String group, String topic) {
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "group.id", name(group), "enable.auto.commit", false),
            new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(name(topic)));
        while (consumer.assignment().isEmpty()) {
            consumer.poll(Duration.ofMillis(100));
        }
        return consumer;
    }

    Map<TopicPartition, Long> offsets(String group) throws Exception {
        Map<TopicPartition, Long> found = new HashMap<>();
        admin.listConsumerGroupOffsets(name(group)).partitionsToOffsetAndMetadata().get()
            .forEach((place, value) -> found.put(place, value.offset()));
        return found;
    }

    // Returns the error of each offset, or that of the group, under "", if the whole request fails.
    Map<?, Integer> deleteOffsets(String group, TopicPartition... places) throws Exception {
        DeleteConsumerGroupOffsetsResult result = admin.deleteConsumerGroupOffsets(name(group), new HashSet<>(List.of(places)));
        int whole = error(result.all());
        Map<TopicPartition, Integer> errors = new HashMap<>();
        for (TopicPartition place : places) {
            errors.put(place, error(result.partitionResult(place)));
        }
        return whole == Errors.GROUP_ID_NOT_FOUND.code() ? Map.of("", whole) : errors;
    }

    Map<String, Integer> deleteGroups(String... groups) throws Exception {
        List<String> names = new ArrayList<>();
        for (String group : groups) {
            names.add(name(group));
        }
        Map<String, Integer> errors = new HashMap<>();
        for (Map.Entry<String, KafkaFuture<Void>> answer : admin.deleteConsumerGroups(names).deletedGroups().entrySet()) {
            errors.put(answer.getKey(), error(answer.getValue()));
        }
        return errors;
    }

    static int error(KafkaFuture<?> answer) throws InterruptedException {
        try {
            answer.get();
            return 0;
        } catch (ExecutionException refused) {
            return Errors.forException(refused.getCause()).code();
        }
    }
}
