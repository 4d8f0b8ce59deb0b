// Moves members of random streams groups to random targets, with Kafka's classes, and prints one line of JSON per group: a list
// of steps, in the form of Streams.java. Arguments: SEED GROUPS. The same seed prints the same lines, with 4.3 and 4.4.
//
// Most targets are the tasks of the member in other roles, with warmup tasks, which the assignors never assign. Releases differ
// in what a member may have while the role of a task changes.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.coordinator.group.generated.StreamsGroupCurrentMemberAssignmentValue;
import org.apache.kafka.coordinator.group.streams.CurrentAssignmentBuilder;
import org.apache.kafka.coordinator.group.streams.MemberState;
import org.apache.kafka.coordinator.group.streams.StreamsCoordinatorRecordHelpers;
import org.apache.kafka.coordinator.group.streams.StreamsGroup;
import org.apache.kafka.coordinator.group.streams.StreamsGroupMember;
import org.apache.kafka.coordinator.group.streams.TasksTuple;
import org.apache.kafka.coordinator.group.streams.TasksTupleWithEpochs;
import org.apache.kafka.timeline.SnapshotRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public class Moves {
    static final int ACTIVE = 0, STANDBY = 1, WARMUP = 2, NONE = 3;
    static final Logger LOG = LoggerFactory.getLogger(Moves.class);

    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[0]);
        ObjectMapper json = new ObjectMapper();
        for (int number = 0; number < Integer.parseInt(args[1]); number++) {
            Moves moves = new Moves(new Random((seed + number) * 0x9E3779B97F4A7C15L));
            System.out.println(json.writeValueAsString(moves.play()));
        }
    }

    final Random random;
    final StreamsGroup group;
    final List<Object> steps = new ArrayList<>();
    final List<String> names = new ArrayList<>(); // of subtopologies
    final int partitions;
    final int members;
    final int processes;

    Moves(Random random) throws ReflectiveOperationException {
        this.random = random;
        group = logging(StreamsGroup.class, logging(SnapshotRegistry.class), "group");
        boolean collides = random.nextInt(4) == 0; // in the buckets of Java's maps
        int count = random.nextInt(6) == 0 ? 13 + random.nextInt(8) : 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) names.add(collides && i < 4 ? List.of("AaAa", "AaBB", "BBAa", "BBBB").get(i) : "" + i);
        partitions = 1 + random.nextInt(4);
        members = 1 + random.nextInt(5);
        processes = 1 + random.nextInt(3);
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
        for (int i = 0; i < 40; i++) {
            String id = "m" + random.nextInt(members);
            int dice = random.nextInt(12);
            if (dice == 0 && group.hasMember(id)) {
                group.removeMember(id);
                steps.add(Map.of("leaves", id));
            } else if (dice < 2 || !group.hasMember(id)) {
                place(id);
            } else {
                move(group.members().get(id));
            }
        }
        return steps;
    }

    void place(String id) {
        MemberState state = MemberState.values()[random.nextInt(10) == 0 ? 3 : random.nextInt(3)];
        TasksTupleWithEpochs assigned = tasks();
        TasksTupleWithEpochs revoking = state == MemberState.UNREVOKED_TASKS ? tasks() : TasksTupleWithEpochs.EMPTY;
        int at = 1 + random.nextInt(9);
        String process = "p" + random.nextInt(processes);
        put(StreamsGroupMember.Builder.withDefaults(id).setProcessId(process)
            .setMemberEpoch(at).setPreviousMemberEpoch(at - 1).setState(state)
            .setAssignedTasks(assigned).setTasksPendingRevocation(revoking).build());
        steps.add(Map.of("placed", id, "process", process, "is", List.of(at, at - 1, state.value(),
            List.of(assigned.activeTasksWithEpochs(), sorted(assigned.standbyTasks()), sorted(assigned.warmupTasks())), shown(revoking))));
    }

    void put(StreamsGroupMember member) {
        var record = StreamsCoordinatorRecordHelpers.newStreamsGroupCurrentAssignmentRecord("group", member);
        group.updateMember(new StreamsGroupMember.Builder(member)
            .updateWith(LOG, "group", (StreamsGroupCurrentMemberAssignmentValue) record.value().message()).build());
    }

    void move(StreamsGroupMember member) {
        TasksTuple target = random.nextInt(4) == 0 ? plain(tasks()) : inOtherRoles(member.assignedTasks());
        int dice = random.nextInt(8);
        TasksTuple owned = dice == 0 ? null : dice == 1 ? plain(tasks()) : plain(member.assignedTasks());
        int epoch = member.memberEpoch() + random.nextInt(3);
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("moves", member.memberId());
        step.put("epoch", epoch);
        step.put("target", List.of(listed(target.activeTasks()), listed(target.standbyTasks()), listed(target.warmupTasks())));
        step.put("owned", owned == null ? null
            : List.of(sorted(owned.activeTasks()), sorted(owned.standbyTasks()), sorted(owned.warmupTasks())));
        step.put("is", null);
        steps.add(step);
        if (member.isReconciledTo(epoch)) return;
        StreamsGroupMember moved;
        try {
            moved = new CurrentAssignmentBuilder(member)
                .withTargetAssignment(epoch, target)
                .withCurrentActiveTaskProcessId(group::currentActiveTaskProcessId)
                .withCurrentStandbyTaskProcessIds(group::currentStandbyTaskProcessIds)
                .withCurrentWarmupTaskProcessIds(group::currentWarmupTaskProcessIds)
                .withOwnedAssignment(owned)
                .build();
        } catch (org.apache.kafka.common.errors.FencedMemberEpochException exception) {
            step.remove("is");
            step.put("fenced", exception.getMessage());
            return;
        }
        if (moved.equals(member)) return;
        var assigned = moved.assignedTasks();
        List<Object> active = new ArrayList<>();
        assigned.activeTasksWithEpochs().forEach((id, epochs) -> active.add(List.of(id, new TreeMap<>(epochs))));
        step.put("is", List.of(moved.memberEpoch(), moved.previousMemberEpoch(), moved.state().value(),
            List.of(active, listed(assigned.standbyTasks()), listed(assigned.warmupTasks())), shown(moved.tasksPendingRevocation())));
        put(moved);
    }

    // Tasks of random roles. A member may have a task in two roles.
    TasksTupleWithEpochs tasks() {
        Tasks made = new Tasks();
        for (String name : names) {
            for (int partition = 0; partition < partitions; partition++) {
                made.add(random.nextInt(3) == 0 ? random.nextInt(3) : NONE, name, partition);
                if (random.nextInt(20) == 0) made.add(random.nextInt(3), name, partition);
            }
        }
        return made.withEpochs();
    }

    TasksTuple inOtherRoles(TasksTupleWithEpochs now) {
        Tasks made = new Tasks();
        for (String name : names) {
            for (int partition = 0; partition < partitions; partition++) {
                int role = now.activeTasksWithEpochs().getOrDefault(name, Map.of()).containsKey(partition) ? ACTIVE
                    : now.standbyTasks().getOrDefault(name, Set.of()).contains(partition) ? STANDBY
                    : now.warmupTasks().getOrDefault(name, Set.of()).contains(partition) ? WARMUP : NONE;
                int dice = random.nextInt(4);
                made.add(dice == 0 ? random.nextInt(4) : dice == 1 && role != NONE ? (role + 1 + random.nextInt(2)) % 3 : role, name, partition);
            }
        }
        return plain(made.withEpochs());
    }

    class Tasks {
        final Map<String, Map<Integer, Integer>> active = new TreeMap<>();
        final List<Map<String, Set<Integer>>> copies = List.of(new TreeMap<>(), new TreeMap<>());

        void add(int role, String name, int partition) {
            if (role == ACTIVE) active.computeIfAbsent(name, each -> new TreeMap<>()).put(partition, random.nextInt(9));
            else if (role != NONE) copies.get(role - STANDBY).computeIfAbsent(name, each -> new TreeSet<>()).add(partition);
        }

        TasksTupleWithEpochs withEpochs() {
            return new TasksTupleWithEpochs(active, copies.get(0), copies.get(1));
        }
    }

    static TasksTuple plain(TasksTupleWithEpochs tasks) {
        Map<String, Set<Integer>> active = new TreeMap<>();
        tasks.activeTasksWithEpochs().forEach((id, epochs) -> active.put(id, new TreeSet<>(epochs.keySet())));
        return new TasksTuple(new HashMap<>(active), new HashMap<>(tasks.standbyTasks()), new HashMap<>(tasks.warmupTasks()));
    }

    static List<Object> shown(TasksTupleWithEpochs tasks) {
        return List.of(tasks.activeTasksWithEpochs(), sorted(tasks.standbyTasks()), sorted(tasks.warmupTasks()));
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
}
