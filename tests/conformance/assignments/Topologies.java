// Configures random topologies of streams groups with the classes of Kafka's group coordinator, and prints a line of
// JSON per topology: its checks, its record, and for some states of the cluster what the group would return. The
// program creates missing topics between two states. Arguments: SEED TOPOLOGIES. The same seed prints the same lines.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseDataJsonConverter;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.CopartitionGroup;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.KeyValue;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestDataJsonConverter;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseDataJsonConverter;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.GroupCoordinatorService;
import org.apache.kafka.coordinator.group.generated.StreamsGroupMemberMetadataValue;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTopologyValueJsonConverter;
import org.apache.kafka.coordinator.group.streams.StreamsCoordinatorRecordHelpers;
import org.apache.kafka.coordinator.group.streams.StreamsGroup;
import org.apache.kafka.coordinator.group.streams.StreamsGroupMember;
import org.apache.kafka.coordinator.group.streams.StreamsTopology;
import org.apache.kafka.coordinator.group.streams.TasksTupleWithEpochs;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredTopology;
import org.apache.kafka.coordinator.group.streams.topics.EndpointToPartitionsManager;
import org.apache.kafka.coordinator.group.streams.topics.InternalTopicManager;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.timeline.SnapshotRegistry;
import org.slf4j.helpers.NOPLogger;

public class Topologies {
    static final ObjectMapper JSON = new ObjectMapper();
    static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    static final short VERSION = 0;

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        long seed = Long.parseLong(args[0]);
        for (int number = 0; number < Integer.parseInt(args[1]); number++) {
            out.println(JSON.writeValueAsString(new Topologies(new Random((seed + number) * 0x9E3779B97F4A7C15L)).play()));
        }
    }

    final Random random;
    final int alike; // the number of partitions of most topics; 0: random
    final List<String> sources = new ArrayList<>();
    final List<String> repartition = new ArrayList<>();
    final TreeMap<String, Integer> topics = new TreeMap<>();
    final TreeMap<String, Uuid> ids = new TreeMap<>();
    final Map<String, Object> line = new LinkedHashMap<>();

    Topologies(Random random) {
        this.random = random;
        alike = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(6);
    }

    boolean rarely() {
        return random.nextInt(100) == 0;
    }

    int partitions() {
        return alike != 0 && random.nextInt(25) != 0 ? alike : 1 + random.nextInt(6);
    }

    String name(String prefix) {
        StringBuilder name = new StringBuilder(prefix);
        int length = random.nextInt(random.nextInt(5) == 0 ? 60 : 6);
        for (int i = 0; i < length; i++) name.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        if (random.nextInt(4) == 0) name.append(random.nextBoolean() ? "Aa" : "BB"); // the same hash
        return name.toString();
    }

    <T> T any(List<T> items) {
        return items.get(random.nextInt(items.size()));
    }

    Map<String, Object> play() throws Exception {
        Topology sent = topology();
        line.put("sent", request(sent));
        line.put("supported", thrown(() -> check("throwIfStreamsGroupHeartbeatRequestIsUsingUnsupportedFeatures", sent)));
        line.put("valid", thrown(() -> check("throwIfStreamsGroupHeartbeatRequestIsInvalid", sent)));
        StreamsTopology[] kept = new StreamsTopology[1];
        Object error = thrown(() -> kept[0] = StreamsTopology.fromHeartbeatRequest(sent));
        line.put("refused", error);
        if (error != null) return line;
        line.put("record", StreamsGroupTopologyValueJsonConverter.write(
            StreamsCoordinatorRecordHelpers.convertToStreamsGroupTopologyRecord(sent), VERSION));
        line.put("required", kept[0].requiredTopics());
        Map<String, String> readers = new TreeMap<>();
        kept[0].sourceTopicMap().forEach((name, subtopology) -> readers.put(name, subtopology.subtopologyId()));
        line.put("readers", readers);
        Topology other = changed(sent);
        line.put("other", request(other));
        line.put("same", kept[0].equals(StreamsTopology.fromHeartbeatRequest(other)));
        line.put("states", states(kept[0]));
        return line;
    }

    // The topology

    Topology topology() {
        int count = random.nextInt(25) == 0 ? 13 + random.nextInt(20) : random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(5);
        for (int i = 0; i < 1 + count + random.nextInt(3); i++) sources.add(name("in-"));
        for (int i = 0; i < 1 + random.nextInt(1 + 2 * count); i++) repartition.add(name("r-"));
        for (String each : sources) if (random.nextInt(12 + count) != 0) topics.put(each, partitions());
        for (String each : repartition) if (random.nextInt(4 + 3 * count) == 0) topics.put(each, partitions());
        boolean fixes = random.nextInt(2) == 0;
        boolean tangled = random.nextInt(6) == 0;
        List<Subtopology> subtopologies = new ArrayList<>();
        boolean backwards = random.nextInt(3) == 0;
        for (int i = 0; i < count; i++) {
            // A repartition topic flows from a subtopology to a later one, unless they are tangled.
            int written = tangled ? repartition.size() : repartition.size() * i / count;
            subtopologies.add(subtopology(i, written, fixes));
        }
        // Each repartition topic that is read has a writer, in most cases.
        for (int i = 0; i < count; i++) {
            for (TopicInfo each : subtopologies.get(i).repartitionSourceTopics()) {
                if (random.nextInt(25 + 10 * count) == 0) continue;
                int writer = tangled ? random.nextInt(count) : random.nextInt(i + 1);
                List<String> sinks = subtopologies.get(writer == i && !tangled ? Math.max(0, i - 1) : writer).repartitionSinkTopics();
                if (!sinks.contains(each.name()) || rarely()) sinks.add(each.name());
            }
        }
        if (backwards) Collections.reverse(subtopologies);
        if (random.nextInt(3) == 0) Collections.shuffle(subtopologies, random);
        return new Topology().setEpoch(rarely() ? -1 : random.nextInt(4)).setSubtopologies(subtopologies);
    }

    Subtopology subtopology(int number, int written, boolean fixes) {
        Subtopology made = new Subtopology();
        made.setSubtopologyId(rarely() && rarely() ? "0" : random.nextInt(9) == 0 ? name(any(List.of("", "\u00fc", "\ud83d\ude00", "\uffe0"))) : "" + number);
        if (random.nextInt(300) == 0) made.setSubtopologyId("0");
        List<String> read = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            String each = any(sources);
            if (!read.contains(each) || rarely()) read.add(each);
        }
        if (rarely()) read.add(any(repartition));
        List<TopicInfo> repartitioned = new ArrayList<>();
        for (int i = written == 0 ? 0 : random.nextInt(4); i > 0; i--) {
            TopicInfo each = internal(repartition.get(random.nextInt(written)));
            if (fixes && random.nextInt(3) == 0) each.setPartitions(rarely() ? -1 : partitions());
            if (repartitioned.stream().noneMatch(one -> one.name().equals(each.name())) || rarely()) repartitioned.add(each);
        }
        if (read.isEmpty() && repartitioned.isEmpty() && random.nextInt(25) != 0) read.add(any(sources));
        List<TopicInfo> changelogs = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            TopicInfo each = internal(random.nextInt(60) == 0 && !read.isEmpty() ? any(read) : name("log-" + number + "-"));
            if (random.nextInt(200) == 0) each.setPartitions(partitions());
            changelogs.add(each);
            if (random.nextInt(300) == 0) changelogs.add(each.duplicate());
            if (random.nextInt(8) == 0) topics.put(each.name(), partitions());
        }
        List<CopartitionGroup> groups = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            groups.add(new CopartitionGroup().setSourceTopics(indexes(read.size())).setRepartitionSourceTopics(indexes(repartitioned.size())));
        }
        if (random.nextInt(200) == 0) made.setSourceTopicRegex(new ArrayList<>(List.of("in.*")));
        return made.setSourceTopics(read).setRepartitionSourceTopics(repartitioned).setStateChangelogTopics(changelogs)
            .setCopartitionGroups(groups).setRepartitionSinkTopics(new ArrayList<>());
    }

    TopicInfo internal(String name) {
        List<KeyValue> configs = new ArrayList<>();
        List<String> keys = new ArrayList<>(List.of(
            "cleanup.policy", "retention.ms", "segment.bytes", "message.timestamp.type", "Aa", "BB", "compression.type"));
        Collections.shuffle(keys, random);
        for (int i = random.nextInt(5); i > 0; i--) configs.add(new KeyValue().setKey(keys.get(i)).setValue("" + random.nextInt(9)));
        if (random.nextInt(400) == 0) configs.add(new KeyValue().setKey("twice").setValue("1"));
        if (random.nextInt(400) == 0) configs.add(new KeyValue().setKey(keys.get(1)).setValue("again"));
        return new TopicInfo().setName(name).setTopicConfigs(configs).setReplicationFactor((short) (random.nextInt(3) == 0 ? random.nextInt(4) - 1 : 0));
    }

    List<Short> indexes(int size) {
        List<Short> indexes = new ArrayList<>();
        for (int i = 0; i < size; i++) if (random.nextInt(3) != 0) indexes.add((short) i);
        Collections.shuffle(indexes, random);
        if (random.nextInt(300) == 0) indexes.add((short) (random.nextBoolean() ? -1 : size));
        if (size > 0 && random.nextInt(50) == 0) indexes.add((short) random.nextInt(size));
        return indexes;
    }

    Topology changed(Topology sent) {
        Topology other = sent.duplicate();
        List<Subtopology> subtopologies = other.subtopologies();
        Collections.shuffle(subtopologies, random);
        int dice = random.nextInt(8);
        if (dice == 0) return other.setEpoch(other.epoch() + 1);
        if (dice < 4 || subtopologies.isEmpty()) return other;
        Subtopology each = any(subtopologies);
        if (dice == 4) Collections.reverse(each.sourceTopics());
        else if (dice == 5) Collections.reverse(each.stateChangelogTopics());
        else if (dice == 6) each.repartitionSinkTopics().add("more");
        else subtopologies.remove(each);
        return other;
    }

    // The checks

    interface Action {
        void run() throws Throwable;
    }

    // Error code and message that a client gets for what the action throws, null for neither.
    static Object thrown(Action action) {
        Throwable thrown;
        try {
            action.run();
            return null;
        } catch (InvocationTargetException wrapper) {
            thrown = wrapper.getCause();
        } catch (Throwable other) {
            thrown = other;
        }
        ApiError error = ApiError.fromThrowable(thrown);
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("code", error.error().code());
        told.put("message", error.error() == Errors.UNKNOWN_SERVER_ERROR ? null : error.message());
        return told;
    }

    static void check(String name, Topology sent) throws Exception {
        Method method = GroupCoordinatorService.class.getDeclaredMethod(name, StreamsGroupHeartbeatRequestData.class);
        method.setAccessible(true);
        method.invoke(null, new StreamsGroupHeartbeatRequestData().setGroupId("group").setMemberId("member").setMemberEpoch(0)
            .setRebalanceTimeoutMs(1000).setActiveTasks(List.of()).setStandbyTasks(List.of()).setWarmupTasks(List.of()).setTopology(sent));
    }

    static JsonNode request(Topology sent) {
        return StreamsGroupHeartbeatRequestDataJsonConverter.write(new StreamsGroupHeartbeatRequestData().setTopology(sent), VERSION).get("topology");
    }

    // The cluster

    List<Object> states(StreamsTopology topology) throws Exception {
        List<Object> states = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Map<String, Object> state = new LinkedHashMap<>();
            states.add(state);
            MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
            Map<String, Object> described = new LinkedHashMap<>();
            topics.forEach((name, partitions) -> {
                Uuid id = ids.computeIfAbsent(name, each -> new Uuid(random.nextLong(), random.nextLong()));
                described.put(name, List.of(id.toString(), partitions));
                delta.replay(new TopicRecord().setName(name).setTopicId(id));
                for (int partition = 0; partition < partitions; partition++) {
                    delta.replay(new PartitionRecord().setTopicId(id).setPartitionId(partition).setReplicas(List.of(1)));
                }
            });
            state.put("topics", described);
            if (!configured(topology, new KRaftCoordinatorMetadataImage(delta.apply(MetadataProvenance.EMPTY)), state)) break;
        }
        return states;
    }

    // Returns whether the program has created topics, so that another state follows.
    boolean configured(StreamsTopology topology, CoordinatorMetadataImage image, Map<String, Object> state) throws Exception {
        StreamsGroup group = logging(StreamsGroup.class, logging(SnapshotRegistry.class), "group");
        group.setTopology(topology);
        long hash = group.computeMetadataHash(image, new HashMap<>(), topology);
        state.put("hash", hash);
        ConfiguredTopology[] made = new ConfiguredTopology[1];
        Object error = thrown(() -> made[0] = InternalTopicManager.configureTopics(
            NOPLogger.NOP_LOGGER, "group", "member", hash, topology, image, Time.SYSTEM));
        state.put("refused", error);
        if (error != null) return false;
        ConfiguredTopology configured = made[0];
        group.setConfiguredTopology(configured);
        state.put("ready", configured.isReady());
        state.put("status", configured.topicConfigurationException().map(each -> List.<Object>of(each.status().code(), each.getMessage())).orElse(null));
        state.put("tasks", configured.subtopologies().map(each -> {
            Map<String, Integer> tasks = new LinkedHashMap<>();
            each.forEach((id, subtopology) -> tasks.put(id, subtopology.numberOfTasks()));
            return tasks;
        }).orElse(null));
        List<Object> missing = new ArrayList<>();
        configured.internalTopicsToBeCreated().forEach((name, each) -> missing.add(creatable(each)));
        state.put("missing", missing);
        var described = configured.isReady() ? configured.asStreamsGroupDescribeTopology() : topology.asStreamsGroupDescribeTopology();
        if (configured.isReady() || ids.size() < 6) state.put("described", StreamsGroupDescribeResponseDataJsonConverter.write(new StreamsGroupDescribeResponseData().setGroups(List.of(
            new StreamsGroupDescribeResponseData.DescribedGroup().setTopology(described))), VERSION).get("groups").get(0).get("topology"));
        if (configured.isReady()) state.put("endpoint", endpoint(group, configured, image));
        return create(topology, configured);
    }

    static Object creatable(CreatableTopic topic) {
        List<Object> configs = new ArrayList<>();
        topic.configs().forEach(each -> configs.add(List.of(each.name(), each.value())));
        return List.of(topic.name(), topic.numPartitions(), topic.replicationFactor(), configs);
    }

    boolean create(StreamsTopology topology, ConfiguredTopology configured) {
        int before = topics.size();
        boolean careless = random.nextInt(12) == 0;
        for (CreatableTopic each : configured.internalTopicsToBeCreated().values()) {
            if (random.nextInt(60) != 0) topics.put(each.name(), random.nextInt(careless ? 3 : 150) == 0 ? each.numPartitions() + 1 : each.numPartitions());
        }
        if (configured.topicConfigurationException().map(each -> each.getMessage().startsWith("Source topics")).orElse(false)) {
            for (var subtopology : topology.subtopologies().values()) {
                for (String each : subtopology.sourceTopics()) topics.putIfAbsent(each, partitions());
            }
        }
        return topics.size() > before;
    }

    // One member with some tasks. Kafka lists active tasks in the random order of an immutable map: it has one
    // subtopology with active tasks.
    Object endpoint(StreamsGroup group, ConfiguredTopology configured, CoordinatorMetadataImage image) {
        Map<String, Map<Integer, Integer>> active = new HashMap<>();
        Map<String, Set<Integer>> standby = new HashMap<>();
        List<String> subtopologies = new ArrayList<>(configured.subtopologies().get().keySet());
        Collections.shuffle(subtopologies, random);
        for (String each : subtopologies) {
            int tasks = configured.subtopologies().get().get(each).numberOfTasks();
            List<Integer> chosen = new ArrayList<>();
            for (int task = 0; task < tasks; task++) if (random.nextBoolean()) chosen.add(task);
            if (random.nextInt(9) == 0) chosen.add(random.nextInt(100)); // of another topology
            if (chosen.isEmpty()) continue;
            Collections.sort(chosen);
            if (active.isEmpty()) {
                Map<Integer, Integer> epochs = new HashMap<>();
                chosen.forEach(task -> epochs.put(task, 1));
                active.put(each, epochs);
            } else if (random.nextBoolean()) {
                standby.put(each, new HashSet<>(chosen));
            }
        }
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("active", active);
        told.put("standby", standby);
        StreamsGroupMember member = StreamsGroupMember.Builder.withDefaults("member").setProcessId("p").setClientId("c").setClientHost("h")
            .setUserEndpoint(new StreamsGroupMemberMetadataValue.Endpoint().setHost("host").setPort(9))
            .setAssignedTasks(new TasksTupleWithEpochs(active, standby, Map.of())).build();
        var endpoint = EndpointToPartitionsManager.maybeEndpointToPartitions(member, group, image).get();
        told.put("partitions", StreamsGroupHeartbeatResponseDataJsonConverter.write(
            new StreamsGroupHeartbeatResponseData().setPartitionsByUserEndpoint(List.of(endpoint)), VERSION).get("partitionsByUserEndpoint").get(0));
        return told;
    }

    // An object whose constructor has a LogContext as its first parameter. That class is in another package since 4.4.
    static <T> T logging(Class<T> kind, Object... others) throws ReflectiveOperationException {
        for (Constructor<?> each : kind.getConstructors()) {
            Class<?>[] parameters = each.getParameterTypes();
            if (parameters.length != others.length + 1 || !parameters[0].getSimpleName().equals("LogContext")) continue;
            List<Object> given = new ArrayList<>(List.of(parameters[0].getConstructor().newInstance()));
            given.addAll(List.of(others));
            return kind.cast(each.newInstance(given.toArray()));
        }
        throw new NoSuchMethodException(kind.getName());
    }
}
