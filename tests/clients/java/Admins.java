// Calls the methods of Kafka's AdminClient: java -cp 'kafka/*' Admins.java BOOTSTRAP
//
// Prints the version of the client, and then a line for each call: its result, or the class and message of its error.
// Ids, times and addresses are left out.

import java.util.*;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.*;
import org.apache.kafka.common.acl.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.*;
import org.apache.kafka.common.resource.*;

public class Admins {
    interface Call {
        Object run() throws Exception;
    }

    static void tell(String name, Call call) {
        String text;
        try {
            text = String.valueOf(call.run());
        } catch (ExecutionException failed) {
            text = failed.getCause().getClass().getSimpleName() + ": " + failed.getCause().getMessage();
        } catch (Exception failed) {
            text = failed.getClass().getSimpleName() + ": " + failed.getMessage();
        }
        System.out.println(name + ": " + text);
    }

    static <T> List<T> sorted(Collection<T> items) {
        return items.stream().sorted(Comparator.comparing(String::valueOf)).collect(Collectors.toList());
    }

    static Object done(KafkaFuture<?> future) throws Exception {
        future.get();
        return "done";
    }

    public static void main(String[] args) throws Exception {
        Properties about = new Properties();
        about.load(Admin.class.getResourceAsStream("/kafka/kafka-version.properties"));
        System.out.println(about.getProperty("version"));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0], "default.api.timeout.ms", 30_000))) {
            topics(admin);
            settings(admin);
            groups(admin);
            security(admin);
            cluster(admin);
        }
    }

    static void topics(Admin admin) {
        TopicPartition first = new TopicPartition("orders", 0);
        tell("create topic", () -> {
            CreateTopicsResult made = admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1)));
            return made.numPartitions("orders").get() + " x " + made.replicationFactor("orders").get();
        });
        tell("create topic again", () -> done(admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1))).all()));
        tell("create topic with 2 replicas", () -> done(admin.createTopics(List.of(new NewTopic("more", 1, (short) 2))).all()));
        tell("create partitions", () -> done(admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(3))).all()));
        tell("create fewer partitions", () -> done(admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(1))).all()));
        tell("list topics", () -> sorted(admin.listTopics().names().get()));
        tell("describe topic", () -> admin.describeTopics(List.of("orders")).allTopicNames().get().get("orders").partitions().size());
        tell("describe unknown topic", () -> admin.describeTopics(List.of("nosuch")).allTopicNames().get());
        tell("list offsets", () -> admin.listOffsets(Map.of(first, OffsetSpec.latest())).partitionResult(first).get().offset());
        tell("delete records", () -> admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(0))).lowWatermarks().get(first).get().lowWatermark());
        tell("delete records after the end", () -> done(admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(9))).all()));
        tell("elect leaders", () -> admin.electLeaders(ElectionType.PREFERRED, Set.of(first)).partitions().get());
        tell("list reassignments", () -> admin.listPartitionReassignments().reassignments().get());
        tell("reassign to the same broker", () -> done(admin.alterPartitionReassignments(
            Map.of(first, Optional.of(new NewPartitionReassignment(List.of(1))))).all()));
        tell("reassign to an unknown broker", () -> done(admin.alterPartitionReassignments(
            Map.of(first, Optional.of(new NewPartitionReassignment(List.of(7))))).all()));
        tell("cancel a reassignment", () -> done(admin.alterPartitionReassignments(Map.of(first, Optional.empty())).all()));
        tell("log dirs", () -> admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1).values().stream()
            .map(dir -> sorted(dir.replicaInfos().keySet().stream().filter(each -> each.topic().equals("orders")).toList())).toList());
        tell("replica log dir", () -> {
            TopicPartitionReplica replica = new TopicPartitionReplica("orders", 0, 1);
            return admin.describeReplicaLogDirs(List.of(replica)).all().get().get(replica).getCurrentReplicaLogDir() != null;
        });
        tell("move to an unknown folder", () -> done(admin.alterReplicaLogDirs(
            Map.of(new TopicPartitionReplica("orders", 0, 1), "/nosuch")).all()));
        tell("producers", () -> admin.describeProducers(List.of(first)).partitionResult(first).get().activeProducers());
    }

    static void settings(Admin admin) {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
        ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, "billing");
        ConfigResource metrics = new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "all");
        for (var change : List.of(
            Map.entry(topic, new ConfigEntry("retention.ms", "777")),
            Map.entry(topic, new ConfigEntry("retention.ms", "x")),
            Map.entry(broker, new ConfigEntry("message.max.bytes", "1048588")),
            Map.entry(broker, new ConfigEntry("node.id", "2")),
            Map.entry(group, new ConfigEntry("consumer.session.timeout.ms", "50000")),
            Map.entry(metrics, new ConfigEntry("interval.ms", "60000")))) {
            AlterConfigOp set = new AlterConfigOp(change.getValue(), AlterConfigOp.OpType.SET);
            tell("set " + change.getValue().name() + " of " + change.getKey(), () ->
                done(admin.incrementalAlterConfigs(Map.of(change.getKey(), List.of(set))).all()));
        }
        tell("append", () -> done(admin.incrementalAlterConfigs(Map.of(topic, List.of(
            new AlterConfigOp(new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.APPEND)))).all()));
        tell("settings", () -> {
            Config found = admin.describeConfigs(List.of(topic)).all().get().get(topic);
            ConfigEntry retention = found.get("retention.ms");
            return List.of(retention.value(), retention.source(), retention.isSensitive(), found.get("cleanup.policy").value());
        });
        tell("settings of an unknown topic", () -> done(admin.describeConfigs(
            List.of(new ConfigResource(ConfigResource.Type.TOPIC, "nosuch"))).all()));
        tell("resources with settings", () -> sorted(admin.listConfigResources(
            Set.of(ConfigResource.Type.GROUP, ConfigResource.Type.CLIENT_METRICS), new ListConfigResourcesOptions()).all().get()));
        ClientQuotaEntity user = new ClientQuotaEntity(Map.of("user", "alice"));
        tell("set quota", () -> done(admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
            user, List.of(new ClientQuotaAlteration.Op("producer_byte_rate", 1e9))))).all()));
        tell("set wrong quota", () -> done(admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
            user, List.of(new ClientQuotaAlteration.Op("nosuch", 1.0))))).all()));
        tell("quotas", () -> admin.describeClientQuotas(ClientQuotaFilter.contains(
            List.of(ClientQuotaFilterComponent.ofEntity("user", "alice")))).entities().get());
    }

    static void groups(Admin admin) {
        TopicPartition first = new TopicPartition("orders", 0);
        tell("commit", () -> done(admin.alterConsumerGroupOffsets("readers", Map.of(first, new OffsetAndMetadata(0, "note"))).all()));
        tell("committed", () -> admin.listConsumerGroupOffsets("readers").partitionsToOffsetAndMetadata().get());
        tell("list groups", () -> sorted(admin.listGroups().all().get().stream().map(each -> each.groupId() + " " + each.type()).toList()));
        tell("describe group", () -> {
            ConsumerGroupDescription found = admin.describeConsumerGroups(List.of("readers")).all().get().get("readers");
            return List.of(found.groupState(), found.members(), found.type());
        });
        tell("describe unknown group", () -> done(admin.describeConsumerGroups(List.of("nosuch")).all()));
        tell("describe classic group", () -> admin.describeClassicGroups(List.of("readers")).all().get().get("readers").state());
        tell("remove members", () -> done(admin.removeMembersFromConsumerGroup("readers",
            new RemoveMembersFromConsumerGroupOptions(List.of(new MemberToRemove("one")))).all()));
        tell("delete offsets", () -> done(admin.deleteConsumerGroupOffsets("readers", Set.of(first)).all()));
        tell("delete unknown group", () -> done(admin.deleteConsumerGroups(List.of("nosuch")).all()));
        tell("transactions", () -> admin.listTransactions().all().get());
        tell("describe unknown transaction", () -> done(admin.describeTransactions(List.of("nosuch")).all()));
    }

    static void security(Admin admin) {
        AclBinding acl = new AclBinding(new ResourcePattern(ResourceType.TOPIC, "orders", PatternType.LITERAL),
            new AccessControlEntry("User:alice", "*", AclOperation.READ, AclPermissionType.ALLOW));
        tell("create acl", () -> done(admin.createAcls(List.of(acl)).all()));
        tell("acls", () -> admin.describeAcls(AclBindingFilter.ANY).values().get());
        tell("delete acls", () -> admin.deleteAcls(List.of(AclBindingFilter.ANY)).all().get());
        tell("create user", () -> done(admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
            "alice", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "alice-secret"))).all()));
        tell("users", () -> admin.describeUserScramCredentials().all().get());
        tell("unknown user", () -> done(admin.describeUserScramCredentials(List.of("nosuch")).all()));
        tell("delete unknown user", () -> done(admin.alterUserScramCredentials(List.of(
            new UserScramCredentialDeletion("nosuch", ScramMechanism.SCRAM_SHA_256))).all()));
        tell("operations on a topic", () -> sorted(admin.describeTopics(List.of("orders"),
            new DescribeTopicsOptions().includeAuthorizedOperations(true)).allTopicNames().get().get("orders").authorizedOperations()));
    }

    static void cluster(Admin admin) {
        tell("cluster", () -> {
            DescribeClusterResult found = admin.describeCluster();
            return found.nodes().get().size() + " node, controller " + found.controller().get().id();
        });
        tell("operations on the cluster", () -> sorted(admin.describeCluster(
            new DescribeClusterOptions().includeAuthorizedOperations(true)).authorizedOperations().get()));
        tell("quorum", () -> {
            QuorumInfo found = admin.describeMetadataQuorum().quorumInfo().get();
            return "leader " + found.leaderId() + ", voters " + found.voters().size() + ", observers " + found.observers().size();
        });
        tell("add a voter", () -> done(admin.addRaftVoter(2, Uuid.ONE_UUID,
            Set.of(new RaftVoterEndpoint("CONTROLLER", "localhost", 1))).all()));
        tell("remove a voter", () -> done(admin.removeRaftVoter(2, Uuid.ONE_UUID).all()));
        tell("unregister an unknown broker", () -> done(admin.unregisterBroker(7).all()));
        tell("supported features", () -> admin.describeFeatures().featureMetadata().get().supportedFeatures().get("group.version"));
        tell("update a feature", () -> done(admin.updateFeatures(
            Map.of("group.version", new FeatureUpdate((short) 9, FeatureUpdate.UpgradeType.UPGRADE)), new UpdateFeaturesOptions()).all()));
        tell("check a feature", () -> done(admin.updateFeatures(
            Map.of("group.version", new FeatureUpdate((short) 1, FeatureUpdate.UpgradeType.UPGRADE)),
            new UpdateFeaturesOptions().validateOnly(true)).all()));
        tell("delete topic", () -> done(admin.deleteTopics(List.of("orders")).all()));
        tell("delete unknown topic", () -> done(admin.deleteTopics(List.of("nosuch")).all()));
    }
}
