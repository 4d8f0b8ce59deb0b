// Prints what a cluster stores, as Kafka's clients see it: java -cp 'kafka/*' Stored.java BOOTSTRAP [write]
//
// With `write`, it first writes something of each kind. Then it prints a line for each kind.

import java.time.Duration;
import java.util.*;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.acl.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.*;
import org.apache.kafka.common.resource.*;
import org.apache.kafka.common.serialization.*;

public class Stored {
    static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    static final ConfigResource TOPIC = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
    static final ConfigResource GROUP = new ConfigResource(ConfigResource.Type.GROUP, "next");
    static final int COMMITTED = 3;
    static final int TIMEOUT_MS = 30_000;

    public static void main(String[] args) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0], "default.api.timeout.ms", TIMEOUT_MS))) {
            if (args.length > 1) {
                write(admin, args[0]);
            }
            tell(admin, args[0]);
        }
    }

    static void write(Admin admin, String bootstrap) throws Exception {
        admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1).configs(Map.of(
            "retention.ms", "-1", "max.decompressed.message.bytes", "1000000")))).all().get();
        admin.incrementalAlterConfigs(Map.of(GROUP, List.of(new AlterConfigOp(
            new ConfigEntry("consumer.session.timeout.ms", "50000"), AlterConfigOp.OpType.SET)))).all().get();
        admin.alterClientQuotas(List.of(new ClientQuotaAlteration(new ClientQuotaEntity(Map.of("user", "alice")),
            List.of(new ClientQuotaAlteration.Op("producer_byte_rate", 1e9))))).all().get();
        admin.createAcls(List.of(new AclBinding(new ResourcePattern(ResourceType.TOPIC, "ord", PatternType.PREFIXED),
            new AccessControlEntry("User:alice", "*", AclOperation.READ, AclPermissionType.ALLOW)))).all().get();
        admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
            "alice", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "alice-secret"))).all().get();

        StringSerializer text = new StringSerializer();
        try (Producer<String, String> plain = new KafkaProducer<>(Map.of("bootstrap.servers", bootstrap), text, text)) {
            plain.send(new ProducerRecord<>("orders", 0, "key", "plain")).get();
        }
        try (Producer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "transactional.id", "copier", "compression.type", "zstd"), text, text)) {
            producer.initTransactions();
            for (String value : List.of("aborted", "committed", "committed, too")) {
                producer.beginTransaction();
                producer.send(new ProducerRecord<>("orders", 0, "key", value));
                producer.sendOffsetsToTransaction(Map.of(ORDERS, new OffsetAndMetadata(1, value)), new ConsumerGroupMetadata("copiers"));
                if (value.equals("aborted")) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        for (String protocol : List.of("classic", "consumer")) {
            try (Consumer<String, String> consumer = consumer(bootstrap, Map.of(
                    "group.id", protocol.equals("classic") ? "last" : "next", "group.protocol", protocol))) {
                consumer.subscribe(List.of("orders"));
                read(consumer);
                consumer.commitSync();
            }
        }
        admin.alterConsumerGroupOffsets("simple", Map.of(ORDERS, new OffsetAndMetadata(2, "by hand"))).all().get();
    }

    static void tell(Admin admin, String bootstrap) throws Exception {
        TopicDescription topic = admin.describeTopics(List.of("orders")).allTopicNames().get().get("orders");
        System.out.println("topic: " + topic.topicId() + " x " + topic.partitions().size());
        for (ConfigResource each : List.of(TOPIC, GROUP)) {
            System.out.println("settings: " + admin.describeConfigs(List.of(each)).all().get().get(each).entries().stream()
                .filter(it -> it.source().name().startsWith("DYNAMIC")).map(it -> it.name() + "=" + it.value()).sorted().toList());
        }
        System.out.println("quotas: " + admin.describeClientQuotas(ClientQuotaFilter.all()).entities().get());
        System.out.println("acls: " + admin.describeAcls(AclBindingFilter.ANY).values().get());
        System.out.println("users: " + admin.describeUserScramCredentials().all().get());
        System.out.println("features: " + new TreeMap<>(admin.describeFeatures().featureMetadata().get().finalizedFeatures()
            .entrySet().stream().filter(it -> Set.of("group.version", "metadata.version", "transaction.version").contains(it.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, it -> it.getValue().maxVersionLevel()))));
        try (Consumer<String, String> consumer = consumer(bootstrap, Map.of())) {
            consumer.assign(List.of(ORDERS));
            System.out.println("records: " + read(consumer) + " until " + consumer.endOffsets(List.of(ORDERS)));
        }
        for (GroupListing each : admin.listGroups().all().get().stream().sorted(Comparator.comparing(GroupListing::groupId)).toList()) {
            System.out.println("group: " + each + " " + new TreeMap<>(admin.listConsumerGroupOffsets(each.groupId())
                .partitionsToOffsetAndMetadata().get().entrySet().stream().collect(Collectors.toMap(it -> it.getKey().toString(), Map.Entry::getValue))));
        }
        System.out.println("transactions: " + admin.listTransactions().all().get() + " "
            + admin.describeTransactions(List.of("copier")).all().get().get("copier"));
    }

    static Consumer<String, String> consumer(String bootstrap, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.putAll(Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest",
            "enable.auto.commit", false, "isolation.level", "read_committed"));
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    static List<String> read(Consumer<String, String> consumer) {
        List<String> found = new ArrayList<>();
        long deadline = System.currentTimeMillis() + TIMEOUT_MS;
        while (found.size() < COMMITTED && System.currentTimeMillis() < deadline) {
            consumer.poll(Duration.ofMillis(100)).forEach(each -> found.add(each.offset() + " " + each.value()));
        }
        return found;
    }
}
