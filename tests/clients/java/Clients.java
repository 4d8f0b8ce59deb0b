// Kafka's own Java clients against a broker: java -cp 'kafka/*' Clients.java BOOTSTRAP SCENARIO
//
// SCENARIO is one of the methods below. Each prints facts, one per line, and ends with "done". Any exception of a client ends
// the program with exit code 1. The test compares the lines with Kafka's results.

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.*;

public class Clients {
    static final int RECORDS_PER_CODEC = 2000;

    final String bootstrap;

    Clients(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    public static void main(String[] args) throws Exception {
        Clients clients = new Clients(args[0]);
        switch (args[1]) {
            case "produce_and_consume" -> clients.produceAndConsume();
            case "group_of_two" -> clients.groupOfTwo();
            case "admin" -> clients.admin();
            case "consumer_protocol" -> clients.consumerProtocol();
            default -> throw new IllegalArgumentException(args[1]);
        }
        System.out.println("done");
    }

    // An idempotent producer with every codec, keys and headers; then a consumer that reads everything, commits, and fetches
    // the committed offsets.
    void produceAndConsume() throws Exception {
        try (Admin admin = adminClient()) {
            admin.createTopics(List.of(new NewTopic("java-data", 3, (short) 1))).all().get();
        }
        List<String> codecs = List.of("none", "gzip", "snappy", "lz4", "zstd");
        for (String codec : codecs) {
            produce("java-data", codec);
        }
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        Map<String, Integer> countByCodec = new TreeMap<>();
        try (KafkaConsumer<String, String> consumer = consumer("java-group", "java-1")) {
            consumer.subscribe(List.of("java-data"));
            int left = codecs.size() * RECORDS_PER_CODEC;
            while (left > 0) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(20))) {
                    String codec = new String(record.headers().lastHeader("codec").value(), StandardCharsets.UTF_8);
                    expect(record.value().equals("value of " + record.key()), "value of " + record.key());
                    countByCodec.merge(codec, 1, Integer::sum);
                    left--;
                }
            }
            consumer.commitSync(Duration.ofSeconds(20));
            committed.putAll(consumer.committed(consumer.assignment(), Duration.ofSeconds(20)));
            expect(committed.keySet().equals(consumer.assignment()), "a commit for each partition");
            expect(consumer.endOffsets(consumer.assignment()).entrySet().stream()
                .allMatch(end -> end.getValue() == committed.get(end.getKey()).offset()), "committed to the end");
            long longAgo = 1_000L;
            expect(consumer.offsetsForTimes(Map.of(new TopicPartition("java-data", 0), longAgo)).values().iterator().next().offset() == 0,
                "the first offset after a time long ago");
        }
        System.out.println("records " + countByCodec);
        System.out.println("committed " + committed.values().stream().mapToLong(OffsetAndMetadata::offset).sum());
    }

    void produce(String topic, String codec) throws Exception {
        Map<String, Object> settings = new HashMap<>(Map.of(
            "bootstrap.servers", bootstrap, "compression.type", codec, "linger.ms", 5, "client.id", "java-producer-" + codec));
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < RECORDS_PER_CODEC; i++) {
                String key = codec + "-" + i;
                ProducerRecord<String, String> record = new ProducerRecord<>(topic, key, "value of " + key);
                record.headers().add("codec", codec.getBytes(StandardCharsets.UTF_8));
                sent.add(producer.send(record));
            }
            producer.flush();
        }
        for (Future<RecordMetadata> one : sent) {
            expect(one.get().offset() >= 0, "an offset for each record");
        }
    }

    // Two members share the partitions; one leaves; the other takes over everything. Cooperative, then eager assignor.
    void groupOfTwo() throws Exception {
        try (Admin admin = adminClient()) {
            admin.createTopics(List.of(new NewTopic("java-shared", 4, (short) 1))).all().get();
        }
        for (String assignor : List.of("CooperativeStickyAssignor", "RangeAssignor")) {
            String group = "java-" + assignor;
            try (KafkaConsumer<String, String> stays = consumer(group, "stays", assignor)) {
                stays.subscribe(List.of("java-shared"));
                try (KafkaConsumer<String, String> leaves = consumer(group, "leaves", assignor)) {
                    leaves.subscribe(List.of("java-shared"));
                    pollUntil(() -> stays.assignment().size() == 2 && leaves.assignment().size() == 2, stays, leaves);
                    System.out.println(assignor + " two members: 2 + 2");
                }
                pollUntil(() -> stays.assignment().size() == 4, stays);
                System.out.println(assignor + " one member: 4");
            }
        }
    }

    @SafeVarargs
    static void pollUntil(java.util.function.BooleanSupplier reached, KafkaConsumer<String, String>... consumers) {
        long deadline = System.nanoTime() + Duration.ofSeconds(40).toNanos();
        while (!reached.getAsBoolean()) {
            expect(System.nanoTime() < deadline, "reached before the deadline");
            for (KafkaConsumer<String, String> consumer : consumers) {
                consumer.poll(Duration.ofMillis(100));
            }
        }
    }

    // Every call of AdminClient that a coordinator and its topics should serve.
    void admin() throws Exception {
        try (Admin admin = adminClient()) {
            topics(admin);
            groups(admin);
            admin.deleteTopics(List.of("java-admin")).all().get();
            expectFailure("UnknownTopicOrPartitionException", admin.describeTopics(List.of("java-admin")).allTopicNames());
        }
    }

    void topics(Admin admin) throws Exception {
        DescribeClusterResult cluster = admin.describeCluster();
        System.out.println("nodes " + cluster.nodes().get().size() + ", controller is a node "
            + cluster.nodes().get().stream().anyMatch(node -> node.id() == controllerId(cluster)));

        NewTopic topic = new NewTopic("java-admin", 2, (short) 1).configs(Map.of("retention.ms", "123456"));
        CreateTopicsResult created = admin.createTopics(List.of(topic));
        created.all().get();
        expect(!created.topicId("java-admin").get().equals(Uuid.ZERO_UUID), "a topic id");
        System.out.println("created with partitions " + created.numPartitions("java-admin").get());
        expectFailure("TopicExistsException", admin.createTopics(List.of(topic)).all());
        expectFailure("InvalidTopicException", admin.createTopics(List.of(new NewTopic("no/name", 1, (short) 1))).all());
        expectFailure("InvalidConfigurationException",
            admin.createTopics(List.of(new NewTopic("java-bad", 1, (short) 1).configs(Map.of("nope", "1")))).all());

        admin.createPartitions(Map.of("java-admin", NewPartitions.increaseTo(4))).all().get();
        TopicDescription described = admin.describeTopics(List.of("java-admin")).allTopicNames().get().get("java-admin");
        System.out.println("described with partitions " + described.partitions().size());
        expect(described.topicId().equals(created.topicId("java-admin").get()), "the same topic id");
        expect(admin.listTopics().names().get().contains("java-admin"), "listed");

        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, "java-admin");
        System.out.println("retention.ms " + configOf(admin, resource, "retention.ms"));
        admin.incrementalAlterConfigs(Map.of(resource, List.of(
            new AlterConfigOp(new ConfigEntry("retention.ms", "654321"), AlterConfigOp.OpType.SET),
            new AlterConfigOp(new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.APPEND)))).all().get();
        System.out.println("retention.ms " + configOf(admin, resource, "retention.ms"));
        System.out.println("cleanup.policy " + configOf(admin, resource, "cleanup.policy"));
        expect(configOf(admin, new ConfigResource(ConfigResource.Type.BROKER, "1"), "node.id").value().equals("1"), "the broker's settings");

        produceTo(admin, "java-admin", 5);
        TopicPartition first = new TopicPartition("java-admin", 0);
        System.out.println("latest " + offset(admin, first, OffsetSpec.latest()));
        admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(3))).all().get();
        System.out.println("earliest after delete " + offset(admin, first, OffsetSpec.earliest()));
        System.out.println("max timestamp " + offset(admin, first, OffsetSpec.maxTimestamp()));
        expect(admin.describeProducers(List.of(first)).all().get().get(first).activeProducers().size() == 1, "one active producer");
        expect(admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1).values().stream()
            .anyMatch(dir -> dir.replicaInfos().containsKey(first)), "its log directory");
        System.out.println("features " + new TreeSet<>(admin.describeFeatures().featureMetadata().get().supportedFeatures().keySet()));
    }

    void groups(Admin admin) throws Exception {
        String group = "java-admin-group";
        TopicPartition first = new TopicPartition("java-admin", 0);
        TopicPartition second = new TopicPartition("java-admin", 1);
        admin.alterConsumerGroupOffsets(group, Map.of(
            first, new OffsetAndMetadata(4, "a note"), second, new OffsetAndMetadata(0))).all().get();
        System.out.println("offset " + admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().get(first));
        System.out.println("listed as " + admin.listGroups().all().get().stream()
            .filter(listing -> listing.groupId().equals(group)).map(GroupListing::type).toList());
        ConsumerGroupDescription empty = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
        System.out.println("described as " + empty.groupState() + " with members " + empty.members().size());

        try (KafkaConsumer<String, String> consumer = consumer(group, "java-member")) {
            consumer.subscribe(List.of("java-admin"));
            pollUntil(() -> consumer.assignment().size() == 4, consumer);
            ConsumerGroupDescription stable = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
            MemberDescription member = stable.members().iterator().next();
            System.out.println("described as " + stable.groupState() + " by " + stable.partitionAssignor()
                + ", client " + member.clientId() + " at " + member.host());
            expect(member.assignment().topicPartitions().size() == 4, "its assignment");
            expectFailure("GroupNotEmptyException", admin.deleteConsumerGroups(List.of(group)).all());
            expectFailure("GroupSubscribedToTopicException", admin.deleteConsumerGroupOffsets(group, Set.of(second)).all());
        }
        admin.deleteConsumerGroupOffsets(group, Set.of(second)).all().get();
        OffsetAndMetadata gone = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().get(second);
        System.out.println("deleted offset " + gone);
        admin.deleteConsumerGroups(List.of(group)).all().get();
        expectFailure("GroupIdNotFoundException", admin.deleteConsumerGroups(List.of(group)).all());
    }

    // What AdminClient says about a group of the consumer protocol, with members and without.
    void consumerProtocol() throws Exception {
        String group = "java-new";
        TopicPartition first = new TopicPartition("java-new", 0);
        try (Admin admin = adminClient()) {
            admin.createTopics(List.of(new NewTopic("java-new", 4, (short) 1))).all().get();
            Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "group.id", group,
                "group.protocol", "consumer", "client.id", "java-new-member", "group.instance.id", "java-instance",
                "enable.auto.commit", false));
            try (KafkaConsumer<String, String> consumer =
                     new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
                consumer.subscribe(List.of("java-new"));
                pollUntil(() -> consumer.assignment().size() == 4, consumer);
                consumer.commitSync(Map.of(first, new OffsetAndMetadata(0)), Duration.ofSeconds(20));
                pollUntil(() -> state(admin, group).equals("Stable"), consumer);
                System.out.println("listed as " + admin.listGroups().all().get().stream()
                    .filter(listing -> listing.groupId().equals(group)).map(GroupListing::type).toList());
                ConsumerGroupDescription stable = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
                MemberDescription member = stable.members().iterator().next();
                System.out.println("described as " + stable.groupState() + " " + stable.type() + " by " + stable.partitionAssignor()
                    + ", client " + member.clientId() + " at " + member.host() + ", " + member.groupInstanceId() + " upgraded " + member.upgraded());
                expect(member.assignment().topicPartitions().size() == 4, "its assignment");
                expect(member.targetAssignment().get().topicPartitions().size() == 4, "its target assignment");
                expect(stable.groupEpoch().equals(stable.targetAssignmentEpoch()) && stable.groupEpoch().equals(member.memberEpoch()), "one epoch");
                expectFailure("GroupNotEmptyException", admin.deleteConsumerGroups(List.of(group)).all());
                expectFailure("GroupSubscribedToTopicException", admin.deleteConsumerGroupOffsets(group, Set.of(first)).all());
                expectFailure("UnknownMemberIdException", admin.alterConsumerGroupOffsets(group, Map.of(first, new OffsetAndMetadata(0))).all());
            }
            System.out.println("after a static member left: " + state(admin, group));
            ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, group);
            admin.incrementalAlterConfigs(Map.of(resource, List.of(
                new AlterConfigOp(new ConfigEntry("consumer.session.timeout.ms", "50000"), AlterConfigOp.OpType.SET)))).all().get();
            System.out.println("consumer.session.timeout.ms " + configOf(admin, resource, "consumer.session.timeout.ms"));
        }
    }

    static String state(Admin admin, String group) {
        try {
            return admin.describeConsumerGroups(List.of(group)).all().get().get(group).groupState().toString();
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }

    void produceTo(Admin admin, String topic, int count) throws Exception {
        try (KafkaProducer<String, String> producer =
                 new KafkaProducer<>(Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>(topic, 0, 1_700_000_000_000L + i, "key", "value " + i)).get();
            }
        }
    }

    static int controllerId(DescribeClusterResult cluster) {
        try {
            return cluster.controller().get().id();
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }

    static long offset(Admin admin, TopicPartition partition, OffsetSpec spec) throws Exception {
        return admin.listOffsets(Map.of(partition, spec)).partitionResult(partition).get().offset();
    }

    static ConfigEntryText configOf(Admin admin, ConfigResource resource, String name) throws Exception {
        ConfigEntry entry = admin.describeConfigs(List.of(resource)).all().get().get(resource).get(name);
        return new ConfigEntryText(entry.value(), entry.source().toString());
    }

    record ConfigEntryText(String value, String source) {
        @Override
        public String toString() {
            return value + " " + source;
        }
    }

    static void expectFailure(String name, KafkaFuture<?> future) throws InterruptedException {
        try {
            future.get();
        } catch (ExecutionException failure) {
            System.out.println("refused: " + failure.getCause().getClass().getSimpleName());
            expect(failure.getCause().getClass().getSimpleName().equals(name), name + ", not " + failure.getCause());
            return;
        }
        throw new IllegalStateException("expected " + name);
    }

    static void expect(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("expected: " + what);
        }
    }

    Admin adminClient() {
        return Admin.create(Map.of("bootstrap.servers", bootstrap, "default.api.timeout.ms", 30_000));
    }

    KafkaConsumer<String, String> consumer(String group, String clientId) {
        return consumer(group, clientId, "RangeAssignor");
    }

    KafkaConsumer<String, String> consumer(String group, String clientId, String assignor) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("group.id", group);
        settings.put("client.id", clientId);
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", false);
        settings.put("heartbeat.interval.ms", 200);
        settings.put("partition.assignment.strategy", "org.apache.kafka.clients.consumer." + assignor);
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }
}
