// Members of share groups (KIP-932) with Kafka's own client: java -cp 'kafka/*' Shares.java BOOTSTRAP PREFIX
//
// Prints which records each member received, as value/delivery count, and how its acknowledgements ended.

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class Shares {
    static final PrintStream FACTS = System.out;
    static final int WAIT_MS = 20_000;
    static final int NOTHING_MS = 1_200;

    final String bootstrap;
    final String prefix;
    final Admin admin;
    int topics;
    String topic;

    Shares(String bootstrap, String prefix) {
        this.bootstrap = bootstrap;
        this.prefix = prefix;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    public static void main(String[] args) throws Exception {
        System.setOut(System.err); // the log of Kafka's client
        Shares shares = new Shares(args[0], args[1]);
        try (Admin admin = shares.admin) {
            shares.implicit();
            shares.explicit();
            shares.renewed();
            shares.callback();
            shares.severalMembers();
            shares.modes();
            shares.reset();
            shares.committed();
            shares.endOfLock();
            shares.closing();
            shares.lastDelivery();
        }
    }

    void implicit() throws Exception {
        begin("implicit acknowledgement", Map.of());
        send("a", "b", "c");
        try (KafkaShareConsumer<String, String> member = member(Map.of())) {
            tell("first poll", poll(member, 3));
            send("d");
            tell("second poll", poll(member, 1));
            tell("commit", committed(member));
        }
        try (KafkaShareConsumer<String, String> member = member(Map.of())) {
            tell("new member", none(member));
        }
    }

    void explicit() throws Exception {
        begin("explicit acknowledgement", Map.of());
        send("a", "b", "c", "d");
        try (KafkaShareConsumer<String, String> member = member(EXPLICIT)) {
            List<ConsumerRecord<String, String>> found = poll(member, 4);
            tell("first poll", found);
            try {
                member.poll(Duration.ofMillis(100));
            } catch (IllegalStateException refused) {
                tell("poll before acknowledging", "refused");
            }
            member.acknowledge(found.get(0), AcknowledgeType.ACCEPT);
            member.acknowledge(found.get(1), AcknowledgeType.RELEASE);
            member.acknowledge(found.get(2), AcknowledgeType.REJECT);
            member.acknowledge(found.get(3), AcknowledgeType.RELEASE);
            tell("commit", committed(member));
            try {
                member.acknowledge(found.get(0), AcknowledgeType.ACCEPT);
            } catch (IllegalStateException refused) {
                tell("acknowledge again", "refused");
            }
            found = poll(member, 2);
            tell("second poll", found);
            for (ConsumerRecord<String, String> each : found) {
                member.acknowledge(each, AcknowledgeType.ACCEPT);
            }
            tell("commit", committed(member));
            tell("third poll", none(member));
        }
    }

    void renewed() throws Exception {
        begin("renewal", Map.of("share.record.lock.duration.ms", "3000"));
        send("a", "b");
        try (KafkaShareConsumer<String, String> one = member(EXPLICIT);
             KafkaShareConsumer<String, String> other = member(EXPLICIT)) {
            List<ConsumerRecord<String, String>> found = poll(one, 2);
            tell("lock", one.acquisitionLockTimeoutMs());
            tell("first poll", found);
            for (int i = 0; i < 3; i++) {
                Thread.sleep(1500);
                for (ConsumerRecord<String, String> each : found) {
                    one.acknowledge(each, AcknowledgeType.RENEW);
                }
                tell("renew", committed(one));
                found = poll(one, 2);
                tell("poll", found);
                tell("other member", none(other, 100));
            }
            for (ConsumerRecord<String, String> each : found) {
                one.acknowledge(each, AcknowledgeType.ACCEPT);
            }
            tell("accept", committed(one));
        }
    }

    void callback() throws Exception {
        begin("callback", Map.of());
        send("a", "b");
        List<String> called = new ArrayList<>();
        try (KafkaShareConsumer<String, String> member = member(Map.of())) {
            member.setAcknowledgementCommitCallback((offsets, error) ->
                offsets.forEach((place, found) -> called.add(place.partition() + " " + new TreeSet<>(found) + " " + error)));
            tell("poll", poll(member, 2));
            member.commitAsync();
            long end = System.currentTimeMillis() + WAIT_MS;
            while (called.isEmpty() && System.currentTimeMillis() < end) {
                member.poll(Duration.ofMillis(100));
            }
            tell("callback", called);
        }
    }

    void severalMembers() throws Exception {
        begin("three members", Map.of());
        List<KafkaShareConsumer<String, String>> members = new ArrayList<>();
        Map<String, String> few = Map.of("max.poll.records", "5", "share.acknowledgement.mode", "explicit");
        for (int i = 0; i < 3; i++) {
            members.add(member(few));
            members.get(i).poll(Duration.ofMillis(500));
        }
        for (int i = 0; i < 30; i++) {
            send(String.format("%02d", i));
        }
        Map<String, Integer> counts = new TreeMap<>();
        long end = System.currentTimeMillis() + WAIT_MS;
        int served = 0;
        while (counts.size() < 30 && System.currentTimeMillis() < end) {
            served = 0;
            for (KafkaShareConsumer<String, String> member : members) {
                for (ConsumerRecord<String, String> each : member.poll(Duration.ofMillis(100))) {
                    counts.merge(each.value() + "/" + each.deliveryCount().get(), 1, Integer::sum);
                    member.acknowledge(each, AcknowledgeType.ACCEPT);
                    served++;
                }
                committed(member);
            }
        }
        tell("records", counts.size());
        tell("deliveries", counts.values().stream().mapToInt(each -> each).sum());
        tell("first deliveries", counts.keySet().stream().filter(each -> each.endsWith("/1")).count());
        members.forEach(KafkaShareConsumer::close);
    }

    void modes() throws Exception {
        for (String mode : List.of("record_limit", "batch_optimized")) {
            begin("acquire mode " + mode, Map.of());
            send("a", "b", "c", "d", "e", "f", "g");
            try (KafkaShareConsumer<String, String> member = member(Map.of("share.acquire.mode", mode, "max.poll.records", "3"))) {
                tell("poll", poll(member, 1));
                tell("poll", mode.equals("record_limit") ? poll(member, 1) : none(member));
                tell("poll", mode.equals("record_limit") ? poll(member, 1) : none(member));
            }
        }
    }

    void reset() throws Exception {
        for (String reset : List.of("latest", "earliest", "by_duration:PT1H")) {
            begin("share.auto.offset.reset " + reset, Map.of("share.auto.offset.reset", reset));
            send("old");
            try (KafkaShareConsumer<String, String> member = member(Map.of())) {
                List<ConsumerRecord<String, String>> found = none(member);
                while (found.isEmpty()) { // until the group has begun with the partition
                    send("new");
                    found = none(member);
                }
                tell("poll", found.subList(0, 1));
            }
        }
    }

    void committed() throws Exception {
        for (String level : List.of("read_committed", "read_uncommitted")) {
            begin(level, Map.of("share.isolation.level", level));
            Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "transactional.id", name(level));
            try (Producer<String, String> producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
                producer.initTransactions();
                for (String value : List.of("committed", "aborted", "last")) {
                    producer.beginTransaction();
                    producer.send(new ProducerRecord<>(topic, value)).get();
                    producer.send(new ProducerRecord<>(topic, value + " 2")).get();
                    if (value.equals("aborted")) {
                        producer.abortTransaction();
                    } else {
                        producer.commitTransaction();
                    }
                }
                try (KafkaShareConsumer<String, String> member = member(Map.of())) {
                    tell("poll", poll(member, level.equals("read_committed") ? 4 : 6));
                    tell("commit", committed(member));
                    producer.beginTransaction();
                    producer.send(new ProducerRecord<>(topic, "open")).get();
                    producer.flush();
                    tell("open transaction", level.equals("read_committed") ? none(member) : poll(member, 1));
                    producer.commitTransaction();
                    tell("committed", level.equals("read_committed") ? poll(member, 1) : none(member));
                }
            }
        }
    }

    void endOfLock() throws Exception {
        begin("a lock that ends", Map.of("share.record.lock.duration.ms", "1000"));
        send("a", "b");
        try (KafkaShareConsumer<String, String> slow = member(EXPLICIT);
             KafkaShareConsumer<String, String> other = member(EXPLICIT)) {
            List<ConsumerRecord<String, String>> found = poll(slow, 2);
            tell("slow member", found);
            List<ConsumerRecord<String, String>> again = poll(other, 2);
            tell("other member", again);
            for (ConsumerRecord<String, String> each : found) {
                slow.acknowledge(each, AcknowledgeType.ACCEPT);
            }
            tell("too late", committed(slow));
            for (ConsumerRecord<String, String> each : again) {
                other.acknowledge(each, AcknowledgeType.ACCEPT);
            }
            tell("in time", committed(other));
        }
    }

    void closing() throws Exception {
        begin("a member that closes", Map.of());
        send("a", "b", "c");
        try (KafkaShareConsumer<String, String> member = member(EXPLICIT)) {
            List<ConsumerRecord<String, String>> found = poll(member, 3);
            tell("first member", found);
            member.acknowledge(found.get(1), AcknowledgeType.ACCEPT);
        }
        try (KafkaShareConsumer<String, String> member = member(Map.of())) {
            tell("second member", poll(member, 2));
        }
    }

    void lastDelivery() throws Exception {
        begin("the last delivery", Map.of());
        send("a");
        try (KafkaShareConsumer<String, String> member = member(EXPLICIT)) {
            for (int i = 0; i < 5; i++) {
                List<ConsumerRecord<String, String>> found = poll(member, 1);
                tell("delivery", found);
                member.acknowledge(found.get(0), AcknowledgeType.RELEASE);
                tell("release", committed(member));
            }
            tell("no more", none(member));
            send("b");
            tell("next record", poll(member, 1));
        }
    }

    static final Map<String, String> EXPLICIT = Map.of("share.acknowledgement.mode", "explicit");

    void begin(String what, Map<String, String> configs) throws Exception {
        FACTS.println("# " + what);
        topic = name("topic-" + topics++);
        admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        Map<String, String> all = new HashMap<>(Map.of("share.auto.offset.reset", "earliest"));
        all.putAll(configs);
        List<AlterConfigOp> changes = new ArrayList<>();
        all.forEach((name, value) -> changes.add(new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET)));
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, topic), changes)).all().get();
    }

    String name(String of) {
        return prefix + "-" + of;
    }

    // The records are one batch.
    void send(String... values) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "linger.ms", 1000);
        try (Producer<String, String> producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(topic, value));
            }
        }
    }

    KafkaShareConsumer<String, String> member(Map<String, String> more) {
        Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "group.id", topic));
        settings.putAll(more);
        KafkaShareConsumer<String, String> consumer =
            new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(topic));
        return consumer;
    }

    // Returns what the first poll with records returns; it must have at least so many.
    List<ConsumerRecord<String, String>> poll(KafkaShareConsumer<String, String> member, int least) {
        List<ConsumerRecord<String, String>> found = new ArrayList<>();
        long end = System.currentTimeMillis() + WAIT_MS;
        while (found.isEmpty() && System.currentTimeMillis() < end) {
            member.poll(Duration.ofMillis(200)).forEach(found::add);
        }
        if (found.size() < least) {
            FACTS.println("only " + found.size() + " of " + least);
        }
        return found;
    }

    List<ConsumerRecord<String, String>> none(KafkaShareConsumer<String, String> member) {
        return none(member, NOTHING_MS);
    }

    List<ConsumerRecord<String, String>> none(KafkaShareConsumer<String, String> member, int ms) {
        List<ConsumerRecord<String, String>> found = new ArrayList<>();
        member.poll(Duration.ofMillis(ms)).forEach(found::add);
        return found;
    }

    String committed(KafkaShareConsumer<String, String> member) {
        Map<TopicIdPartition, Optional<KafkaException>> outcome = member.commitSync(Duration.ofSeconds(20));
        List<String> told = new ArrayList<>();
        outcome.forEach((place, error) ->
            told.add(place.partition() + " " + error.map(each -> each.getClass().getSimpleName()).orElse("stored")));
        return String.join(", ", told);
    }

    void tell(String what, Object found) {
        String told = String.valueOf(found);
        if (found instanceof List<?> records) {
            List<String> each = new ArrayList<>();
            for (Object one : records) {
                each.add(one instanceof ConsumerRecord<?, ?> record ? record.value() + "/" + record.deliveryCount().get() : one.toString());
            }
            told = each.isEmpty() ? "nothing" : String.join(", ", each);
        }
        FACTS.println(what + ": " + told);
    }
}
