// Plays random streams groups through the classes of Kafka's group coordinator, and prints what they return as one
// line of JSON per group: a list of steps. Arguments: SEED GROUPS. The same seed prints the same lines.
//
// Tasks are {subtopology: [partition, ...]}, or {subtopology: {partition: epoch}} for the active tasks of a member.
// Targets and the assigned tasks of a member are lists of [subtopology, partitions], in the order of Kafka's maps.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Collections;
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
import org.apache.kafka.common.errors.FencedMemberEpochException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.generated.StreamsGroupCurrentMemberAssignmentValue;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTargetAssignmentMemberKey;
import org.apache.kafka.coordinator.group.generated.StreamsGroupTargetAssignmentMemberValue;
import org.apache.kafka.coordinator.group.streams.CurrentAssignmentBuilder;
import org.apache.kafka.coordinator.group.streams.MemberState;
import org.apache.kafka.coordinator.group.streams.StreamsCoordinatorRecordHelpers;
import org.apache.kafka.coordinator.group.streams.StreamsGroup;
import org.apache.kafka.coordinator.group.streams.StreamsGroupMember;
import org.apache.kafka.coordinator.group.streams.TargetAssignmentBuilder;
import org.apache.kafka.coordinator.group.streams.TasksTuple;
import org.apache.kafka.coordinator.group.streams.TasksTupleWithEpochs;
import org.apache.kafka.coordinator.group.streams.TopologyMetadata;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;
import org.apache.kafka.coordinator.group.streams.assignor.TaskAssignorException;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredInternalTopic;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredSubtopology;
import org.apache.kafka.coordinator.group.streams.topics.ConfiguredTopology;
import org.apache.kafka.coordinator.group.streams.topics.TopicConfigurationException;
import org.apache.kafka.timeline.SnapshotRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public class Streams {
    static final Logger LOG;

    static {
        System.setProperty("log4j2.level", "ERROR"); // the assignor warns on standard output
        LOG = LoggerFactory.getLogger(Streams.class);
    }

    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[0]);
        ObjectMapper json = new ObjectMapper();
        for (int number = 0; number < Integer.parseInt(args[1]); number++) {
            Streams played = new Streams(new Random((seed + number) * 0x9E3779B97F4A7C15L));
            System.out.println(json.writeValueAsString(number % 4 == 3 ? played.move() : played.play()));
        }
    }

    final Random random;
    final StreamsGroup group;
    final List<Object> steps = new ArrayList<>();
    final List<String> processes = new ArrayList<>();
    final List<String> names = new ArrayList<>(); // of subtopologies
    final int membersMax;
    final int partitionsMax;
    final boolean collides; // in the buckets of Java's maps
    SortedMap<String, ConfiguredSubtopology> subtopologies; // null: the topology is not ready
    Map<String, String> configs = new TreeMap<>(Map.of("num.standby.replicas", "0"));
    boolean rises = true; // the next heartbeat raises the epoch of the group
    int epoch = 1;
    int assignedEpoch;

    Streams(Random random) throws ReflectiveOperationException {
        this.random = random;
        group = logging(StreamsGroup.class, logging(SnapshotRegistry.class), "group");
        collides = random.nextInt(5) == 0;
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
        if (members == 0 || (members < membersMax && dice < 25)) {
            String id = collides ? colliding("m", random.nextInt(32)) : new Uuid(random.nextLong(), random.nextLong()).toString();
            heartbeat(id, processes.get(random.nextInt(processes.size())), Optional.empty());
        } else if (dice < 33) {
            leave();
        } else if (dice < 37) {
            topology();
        } else if (dice < 41) {
            configs = new TreeMap<>(Map.of("num.standby.replicas", "" + random.nextInt(4)));
            if (random.nextInt(12) == 0) configs = Map.of();
            rises = true;
            steps.add(Map.of("configs", configs));
        } else if (dice < 44 && rises) {
            epoch++;
            assign(Optional.empty());
        } else if (dice < 46) {
            String id = any();
            group.updateMember(new StreamsGroupMember.Builder(member(id)).setState(MemberState.UNKNOWN).build());
            steps.add(Map.of("unknown", id));
        } else if (dice < 48) {
            heartbeat(any(), processes.get(random.nextInt(processes.size())), Optional.empty());
        } else {
            StreamsGroupMember member = member(any());
            heartbeat(member.memberId(), member.processId(), owned(member));
        }
    }

    String any() {
        List<String> ids = new ArrayList<>(new TreeSet<>(group.members().keySet()));
        return ids.get(random.nextInt(ids.size()));
    }

    StreamsGroupMember member(String id) {
        return group.members().get(id);
    }

    void leave() {
        String id = any();
        group.removeTargetAssignment(id);
        group.removeMember(id);
        rises = true;
        steps.add(Map.of("leaves", id));
    }

    void topology() {
        rises = true;
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
        try {
            new StickyTaskAssignor().assign(new GroupSpecImpl(Map.of(), configs),
                new TopologyMetadata(CoordinatorMetadataImage.EMPTY, subtopologies));
            steps.add(Collections.singletonMap("nobody", null));
        } catch (TaskAssignorException exception) {
            steps.add(Map.of("nobody", exception.getMessage()));
        }
    }

    // The tasks that a member reports: none at all, those that it keeps, also those that it must give up, or others.
    Optional<TasksTuple> owned(StreamsGroupMember member) {
        switch (random.nextInt(8)) {
            case 0: case 1: return Optional.empty();
            case 2: return Optional.of(TasksTuple.EMPTY);
            case 3: return Optional.of(withoutEpochs(member.assignedTasks().merge(member.tasksPendingRevocation())));
            case 4: return Optional.of(group.targetAssignment(any()));
            default: return Optional.of(withoutEpochs(member.assignedTasks()));
        }
    }

    static TasksTuple withoutEpochs(TasksTupleWithEpochs tasks) {
        Map<String, Set<Integer>> active = new TreeMap<>();
        tasks.activeTasksWithEpochs().forEach((id, epochs) -> active.put(id, new TreeSet<>(epochs.keySet())));
        return new TasksTuple(active, tasks.standbyTasks(), tasks.warmupTasks());
    }

    // One heartbeat, as GroupMetadataManager.streamsGroupHeartbeat does.
    void heartbeat(String id, String process, Optional<TasksTuple> owned) {
        StreamsGroupMember before = group.getOrCreateDefaultMember(id);
        StreamsGroupMember updated = new StreamsGroupMember.Builder(before).setProcessId(process)
            .setRackId("rack-" + random.nextInt(3)).setClientTags(Map.of("zone", "z" + random.nextInt(3))).build();
        if (member(id) == null || !before.processId().equals(process)) rises = true;
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("heartbeat", id);
        step.put("process", process);
        step.put("owned", owned.map(Streams::shown).orElse(null));
        TasksTuple target = group.targetAssignment(id);
        if (rises && random.nextInt(6) > 0) {
            rises = false;
            epoch++;
            target = assign(Optional.of(updated));
        }
        group.updateMember(updated);
        steps.add(step);
        reconcile(updated, target, owned, step);
    }

    TasksTuple assign(Optional<StreamsGroupMember> updated) {
        rises = false;
        ConfiguredTopology topology = subtopologies != null
            ? new ConfiguredTopology(1, 0, Optional.of(subtopologies), Map.of(), Optional.empty())
            : new ConfiguredTopology(1, 0, Optional.empty(), Map.of(),
                Optional.of(TopicConfigurationException.missingSourceTopics("missing")));
        TargetAssignmentBuilder builder =
            new TargetAssignmentBuilder("group", epoch, new StickyTaskAssignor(), configs)
                .withTime(Time.SYSTEM)
                .withMembers(group.members())
                .withTopology(topology)
                .withStaticMembers(group.staticMembers())
                .withMetadataImage(CoordinatorMetadataImage.EMPTY)
                .withTargetAssignment(group.targetAssignment());
        updated.ifPresent(member -> builder.addOrUpdateMember(member.memberId(), member));
        var result = builder.build();
        List<Object> targets = new ArrayList<>();
        for (CoordinatorRecord record : result.records()) {
            if (!(record.key() instanceof StreamsGroupTargetAssignmentMemberKey key)) continue;
            TasksTuple target = result.targetAssignment().get(key.memberId());
            targets.add(List.of(key.memberId(), listed(target.activeTasks()), listed(target.standbyTasks()),
                listed(target.warmupTasks())));
            group.updateTargetAssignment(key.memberId(),
                TasksTuple.fromTargetAssignmentRecord((StreamsGroupTargetAssignmentMemberValue) record.value().message()));
        }
        assignedEpoch = epoch;
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("assigned", updated.map(StreamsGroupMember::memberId).orElse(null));
        step.put("process", updated.map(StreamsGroupMember::processId).orElse(null));
        step.put("epoch", epoch);
        step.put("targets", targets);
        steps.add(step);
        return updated.map(member -> result.targetAssignment().get(member.memberId())).orElse(TasksTuple.EMPTY);
    }

    void reconcile(StreamsGroupMember member, TasksTuple target, Optional<TasksTuple> owned, Map<String, Object> step) {
        if (member.isReconciledTo(assignedEpoch)) {
            step.put("is", null);
            return;
        }
        StreamsGroupMember moved;
        try {
            moved = new CurrentAssignmentBuilder(member)
                .withTargetAssignment(assignedEpoch, target)
                .withCurrentActiveTaskProcessId(group::currentActiveTaskProcessId)
                .withCurrentStandbyTaskProcessIds(group::currentStandbyTaskProcessIds)
                .withCurrentWarmupTaskProcessIds(group::currentWarmupTaskProcessIds)
                .withOwnedAssignment(owned.orElse(null))
                .build();
        } catch (FencedMemberEpochException exception) {
            step.put("fenced", exception.getMessage());
            return;
        }
        if (moved.equals(member)) {
            step.put("is", null);
            return;
        }
        var assigned = moved.assignedTasks();
        var revoking = moved.tasksPendingRevocation();
        List<Object> active = new ArrayList<>();
        assigned.activeTasksWithEpochs().forEach((id, epochs) -> active.add(List.of(id, new TreeMap<>(epochs))));
        step.put("is", List.of(moved.memberEpoch(), moved.previousMemberEpoch(), moved.state().value(),
            List.of(active, listed(assigned.standbyTasks()), listed(assigned.warmupTasks())),
            List.of(revoking.activeTasksWithEpochs(), sorted(revoking.standbyTasks()), sorted(revoking.warmupTasks()))));
        var record = StreamsCoordinatorRecordHelpers.newStreamsGroupCurrentAssignmentRecord("group", moved);
        group.updateMember(new StreamsGroupMember.Builder(moved)
            .updateWith(LOG, "group", (StreamsGroupCurrentMemberAssignmentValue) record.value().message()).build());
    }

    static List<Object> shown(TasksTuple tasks) {
        return List.of(sorted(tasks.activeTasks()), sorted(tasks.standbyTasks()), sorted(tasks.warmupTasks()));
    }

    static Map<String, Set<Integer>> sorted(Map<String, Set<Integer>> tasks) {
        Map<String, Set<Integer>> sorted = new TreeMap<>();
        tasks.forEach((id, partitions) -> sorted.put(id, new TreeSet<>(partitions)));
        return sorted;
    }

    static List<Object> listed(Map<String, Set<Integer>> tasks) {
        List<Object> listed = new ArrayList<>();
        tasks.forEach((id, partitions) -> listed.add(List.of(id, new TreeSet<>(partitions))));
        return listed;
    }

    // Members with random tasks of all roles move to random targets.
    List<Object> move() {
        int count = 2 + random.nextInt(4);
        for (int i = 0; i < 40; i++) {
            String id = "m" + random.nextInt(count);
            int dice = random.nextInt(10);
            if (dice == 0 && group.hasMember(id)) {
                group.removeMember(id);
                steps.add(Map.of("leaves", id));
            } else if (dice < 4 || !group.hasMember(id)) {
                place(id);
            } else {
                StreamsGroupMember member = member(id);
                Optional<TasksTuple> owned = random.nextInt(3) == 0 ? Optional.of(withoutEpochs(tasks())) : owned(member);
                Map<String, Object> step = new LinkedHashMap<>();
                assignedEpoch = member.memberEpoch() + random.nextInt(3);
                TasksTuple target = withoutEpochs(tasks());
                step.put("moves", id);
                step.put("epoch", assignedEpoch);
                step.put("target", List.of(listed(target.activeTasks()), listed(target.standbyTasks()), listed(target.warmupTasks())));
                step.put("owned", owned.map(Streams::shown).orElse(null));
                steps.add(step);
                reconcile(member, target, owned, step);
            }
        }
        return steps;
    }

    void place(String id) {
        MemberState state = MemberState.values()[random.nextInt(3)];
        TasksTupleWithEpochs assigned = tasks();
        TasksTupleWithEpochs revoking = state == MemberState.UNREVOKED_TASKS ? tasks() : TasksTupleWithEpochs.EMPTY;
        String process = "p" + random.nextInt(3);
        int at = 1 + random.nextInt(9);
        StreamsGroupMember placed = StreamsGroupMember.Builder.withDefaults(id).setProcessId(process)
            .setMemberEpoch(at).setPreviousMemberEpoch(at - 1).setState(state)
            .setAssignedTasks(assigned).setTasksPendingRevocation(revoking).build();
        var record = StreamsCoordinatorRecordHelpers.newStreamsGroupCurrentAssignmentRecord("group", placed);
        group.updateMember(new StreamsGroupMember.Builder(placed)
            .updateWith(LOG, "group", (StreamsGroupCurrentMemberAssignmentValue) record.value().message()).build());
        steps.add(Map.of("placed", id, "process", process, "is", List.of(at, at - 1, state.value(),
            List.of(assigned.activeTasksWithEpochs(), sorted(assigned.standbyTasks()), sorted(assigned.warmupTasks())),
            List.of(revoking.activeTasksWithEpochs(), sorted(revoking.standbyTasks()), sorted(revoking.warmupTasks())))));
    }

    TasksTupleWithEpochs tasks() {
        Map<String, Map<Integer, Integer>> active = new TreeMap<>();
        List<Map<String, Set<Integer>>> copies = List.of(new TreeMap<>(), new TreeMap<>());
        for (String name : names) {
            for (int partition = 0; partition < 3; partition++) {
                int role = random.nextInt(9);
                if (role < 2) {
                    active.computeIfAbsent(name, each -> new TreeMap<>()).put(partition, random.nextInt(9));
                } else if (role < 4) {
                    copies.get(role - 2).computeIfAbsent(name, each -> new TreeSet<>()).add(partition);
                }
            }
        }
        return new TasksTupleWithEpochs(active, copies.get(0), copies.get(1));
    }
}
