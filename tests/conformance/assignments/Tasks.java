// Plays random streams groups through the task assignor of Kafka 4.4, and prints what it returns as one line of JSON per
// group: a list of steps. Arguments: SEED GROUPS. The same seed prints the same lines. It does not compile with Kafka 4.3.
//
// Members join, leave, restart and change their process. Each has some of the tasks of its target, or others, and reports
// offsets of its states. Tasks are {subtopology: [partition, ...]}, and targets are lists of [subtopology, partitions], in
// the order of Kafka's maps.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TaskOffset;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.api.streams.assignor.TaskAssignorException;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTargetAssignmentMemberKey;
import org.apache.kafka.coordinator.group.streams.MemberTaskOffsets;
import org.apache.kafka.coordinator.group.streams.StreamsGroup;
import org.apache.kafka.coordinator.group.streams.StreamsGroupMember;
import org.apache.kafka.coordinator.group.streams.TargetAssignmentBuilder;
import org.apache.kafka.coordinator.group.streams.TasksTuple;
import org.apache.kafka.coordinator.group.streams.TasksTupleWithEpochs;
import org.apache.kafka.coordinator.group.streams.TopologyMetadata;
import org.apache.kafka.coordinator.group.streams.assignor.AssignmentConfigsImpl;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredInternalTopic;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredSubtopology;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredTopology;
import org.apache.kafka.coordinator.group.streams.topics.TopicConfigurationException;
import org.apache.kafka.coordinator.group.util.UpdatedMembersAndTargetAssignmentView;
import org.apache.kafka.timeline.SnapshotRegistry;

public class Tasks {
    static {
        System.setProperty("log4j2.level", "ERROR"); // the assignor warns on standard output
    }

    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[0]);
        ObjectMapper json = new ObjectMapper();
        for (int number = 0; number < Integer.parseInt(args[1]); number++) {
            System.out.println(json.writeValueAsString(new Tasks(new Random((seed + number) * 0x9E3779B97F4A7C15L)).play()));
        }
    }

    final Random random;
    final StreamsGroup group;
    final List<Object> steps = new ArrayList<>();
    final Map<String, TasksTuple> targets = new HashMap<>();
    final Map<String, MemberTaskOffsets> offsets = new HashMap<>();
    final List<String> processes = new ArrayList<>();
    final List<String> names = new ArrayList<>(); // of subtopologies
    final int membersMax;
    final int partitionsMax;
    final boolean collides; // in the buckets of Java's maps
    final boolean reports; // offsets
    SortedMap<String, ConfiguredSubtopology> subtopologies; // null: the topology is not ready
    Map<String, String> configs = new TreeMap<>(Map.of("num.standby.replicas", "0"));

    Tasks(Random random) throws ReflectiveOperationException {
        this.random = random;
        group = logging(StreamsGroup.class, logging(SnapshotRegistry.class), "group");
        collides = random.nextInt(5) == 0;
        reports = random.nextInt(3) > 0;
        membersMax = random.nextInt(20) == 0 ? 50 : 1 + random.nextInt(16);
        partitionsMax = random.nextInt(12) == 0 ? 90 : 1 + random.nextInt(12);
        int count = random.nextInt(6) == 0 ? 1 + random.nextInt(28) : 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) names.add(collides ? colliding("", i) : "" + i);
        int many = 1 + random.nextInt(membersMax);
        for (int i = 0; i < many; i++) {
            processes.add(collides ? colliding("p", i) : new java.util.UUID(random.nextLong(), random.nextLong()).toString());
        }
    }

    // Four texts with equal hashes, then others. Java makes trees of buckets with eight keys.
    static String colliding(String prefix, int number) {
        if (number >= 4) return prefix + number;
        StringBuilder text = new StringBuilder(prefix);
        for (int i = 0; i < 2; i++) text.append((number >> i & 1) == 0 ? "Aa" : "BB");
        return text.toString();
    }

    // An object whose constructor has a LogContext as its first parameter.
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

    List<Object> play() {
        topology();
        nobody();
        int length = 2 * membersMax + 12 + random.nextInt(20);
        for (int i = 0; i < length; i++) step();
        return steps;
    }

    void step() {
        int members = group.numMembers();
        int dice = random.nextInt(100);
        if (members == 0 || (members < membersMax && dice < 35)) {
            String id = collides ? colliding("m", random.nextInt(32)) : new Uuid(random.nextLong(), random.nextLong()).toString();
            heartbeat(id, process());
        } else if (dice < 45) {
            String id = any();
            targets.remove(id);
            offsets.remove(id);
            group.removeMember(id);
            steps.add(Map.of("leaves", id));
        } else if (dice < 50) {
            topology();
        } else if (dice < 56) {
            configs = new TreeMap<>(Map.of("num.standby.replicas", "" + random.nextInt(4)));
            if (random.nextInt(4) == 0) configs.put("rack.aware.assignment.tags", "zone,cluster");
            if (random.nextInt(12) == 0) configs = Map.of();
            steps.add(Map.of("configs", configs));
        } else if (dice < 65) {
            assign(Optional.empty());
        } else if (dice < 72) {
            heartbeat(any(), process());
        } else {
            String id = any();
            heartbeat(id, group.members().get(id).processId());
        }
    }

    String process() {
        return processes.get(random.nextInt(processes.size()));
    }

    String any() {
        List<String> ids = new ArrayList<>(new TreeSet<>(group.members().keySet()));
        return ids.get(random.nextInt(ids.size()));
    }

    void topology() {
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("subtopologies", null);
        subtopologies = null;
        if (random.nextInt(12) > 0) {
            Map<String, Object> shown = new LinkedHashMap<>();
            subtopologies = new TreeMap<>();
            for (String name : new TreeSet<>(names)) {
                if (random.nextInt(10) == 0) continue;
                int tasks = 1 + random.nextInt(partitionsMax);
                boolean stateful = random.nextInt(3) > 0;
                subtopologies.put(name, new ConfiguredSubtopology(tasks, Set.of("t"), Map.of(), Set.of(), stateful
                    ? Map.of("c", new ConfiguredInternalTopic("c", tasks, Optional.empty(), Map.of())) : Map.of()));
                shown.put(name, List.of(tasks, stateful));
            }
            step.put("subtopologies", shown);
        }
        steps.add(step);
    }

    // An assignment for a group without members.
    void nobody() {
        if (subtopologies == null) return;
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("nobody", null);
        try {
            new StickyTaskAssignor().assign(new GroupSpecImpl(Map.of(), AssignmentConfigsImpl.fromMap(configs)),
                new TopologyMetadata(CoordinatorMetadataImage.EMPTY, subtopologies));
        } catch (TaskAssignorException exception) {
            step.put("nobody", exception.getMessage());
        }
        steps.add(step);
    }

    // A heartbeat of a member that joins or reports something else, with the assignment that it causes.
    void heartbeat(String id, String process) {
        StreamsGroupMember.Builder updated = new StreamsGroupMember.Builder(group.getOrCreateDefaultMember(id)).setProcessId(process)
            .setRackId("rack-" + random.nextInt(3)).setClientTags(Map.of("zone", "z" + random.nextInt(3)));
        if (reports && random.nextInt(3) > 0) report(id);
        StreamsGroupMember member = updated.build();
        assign(Optional.of(member));
        group.updateMember(member);
        group.updateMember(member); // a member that joins has two records
        reconcile();
    }

    void report(String id) {
        List<TaskOffset> told = new ArrayList<>();
        List<Object> shown = new ArrayList<>();
        int share = 1 + random.nextInt(5);
        for (String name : names) {
            for (int partition = 0; partition < partitionsMax; partition++) {
                if (random.nextInt(share + 1) > 0) continue;
                long offset = random.nextInt(20) == 0 ? random.nextLong() : random.nextInt(6);
                if (offset == Long.MIN_VALUE) continue;
                told.add(new TaskOffset().setSubtopologyId(name).setPartition(partition).setOffset(offset));
                shown.add(List.of(name, partition, offset));
            }
        }
        offsets.put(id, MemberTaskOffsets.EMPTY.update(told, null));
        steps.add(Map.of("offsets", id, "are", shown));
    }

    // Some members move to their targets, by any part. Now and then, one has anything.
    void reconcile() {
        for (String id : new TreeSet<>(group.members().keySet())) {
            int dice = random.nextInt(24);
            if (dice < 11) continue;
            TasksTuple target = targets.getOrDefault(id, TasksTuple.EMPTY);
            StreamsGroupMember before = group.members().get(id);
            Map<String, Set<Integer>> active = plain(before.assignedTasks().activeTasksWithEpochs());
            Map<String, Set<Integer>> standby = copy(before.assignedTasks().standbyTasks());
            if (dice == 11) {
                active = some();
                standby = some();
            } else if (dice < 16) {
                mix(active, target.activeTasks());
                mix(standby, target.standbyTasks());
            } else {
                active = copy(target.activeTasks());
                standby = copy(target.standbyTasks());
            }
            Map<String, Map<Integer, Integer>> epochs = new HashMap<>();
            active.forEach((name, partitions) -> {
                Map<Integer, Integer> of = new HashMap<>();
                partitions.forEach(partition -> of.put(partition, 1));
                epochs.put(name, of);
            });
            group.updateMember(new StreamsGroupMember.Builder(before)
                .setAssignedTasks(new TasksTupleWithEpochs(epochs, standby, Map.of())).build());
            steps.add(Map.of("has", id, "active", active, "standby", standby));
        }
    }

    Map<String, Set<Integer>> some() {
        Map<String, Set<Integer>> tasks = new TreeMap<>();
        for (String name : names) {
            for (int partition = 0; partition <= partitionsMax; partition++) {
                if (random.nextInt(6) == 0) tasks.computeIfAbsent(name, each -> new TreeSet<>()).add(partition);
            }
        }
        return tasks;
    }

    void mix(Map<String, Set<Integer>> tasks, Map<String, Set<Integer>> others) {
        tasks.values().forEach(partitions -> partitions.removeIf(partition -> random.nextInt(3) == 0));
        new TreeMap<>(others).forEach((name, partitions) -> new TreeSet<>(partitions).forEach(partition -> {
            if (random.nextBoolean()) tasks.computeIfAbsent(name, each -> new TreeSet<>()).add(partition);
        }));
        tasks.values().removeIf(Set::isEmpty);
    }

    static Map<String, Set<Integer>> plain(Map<String, Map<Integer, Integer>> epochs) {
        Map<String, Set<Integer>> tasks = new TreeMap<>();
        epochs.forEach((name, partitions) -> tasks.put(name, new TreeSet<>(partitions.keySet())));
        return tasks;
    }

    static Map<String, Set<Integer>> copy(Map<String, Set<Integer>> tasks) {
        Map<String, Set<Integer>> copy = new TreeMap<>();
        tasks.forEach((name, partitions) -> copy.put(name, new TreeSet<>(partitions)));
        return copy;
    }

    void assign(Optional<StreamsGroupMember> updated) {
        ConfiguredTopology topology = subtopologies != null
            ? new ConfiguredTopology(1, 0, Optional.of(subtopologies), Map.of(), Optional.empty())
            : new ConfiguredTopology(1, 0, Optional.empty(), Map.of(),
                Optional.of(TopicConfigurationException.missingSourceTopics("missing")));
        UpdatedMembersAndTargetAssignmentView<StreamsGroupMember, TasksTuple> view = new UpdatedMembersAndTargetAssignmentView<>(
            group.members(), group.staticMembers(), targets, member -> member.instanceId().orElse(null));
        updated.ifPresent(member -> view.addOrUpdateMember(member.memberId(), member));
        var result = new TargetAssignmentBuilder("group", 1, new StickyTaskAssignor(), configs)
            .withTime(Time.SYSTEM)
            .withMembers(view.members())
            .withTopology(topology)
            .withMetadataImage(CoordinatorMetadataImage.EMPTY)
            .withTargetAssignment(view.targetAssignment())
            .withTaskOffsets(offsets)
            .build();
        List<Object> written = new ArrayList<>();
        for (CoordinatorRecord record : result.records()) {
            if (!(record.key() instanceof StreamsGroupTargetAssignmentMemberKey key)) continue;
            TasksTuple target = result.targetAssignment().get(key.memberId());
            written.add(List.of(key.memberId(), listed(target.activeTasks()), listed(target.standbyTasks()), listed(target.warmupTasks())));
            targets.put(key.memberId(), target);
        }
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("assigned", updated.map(StreamsGroupMember::memberId).orElse(null));
        step.put("process", updated.map(StreamsGroupMember::processId).orElse(null));
        step.put("targets", written);
        steps.add(step);
    }

    static List<Object> listed(Map<String, Set<Integer>> tasks) {
        List<Object> listed = new ArrayList<>();
        tasks.forEach((id, partitions) -> listed.add(List.of(id, new TreeSet<>(partitions))));
        return listed;
    }
}
