// Plays random groups through the classes of Kafka's group coordinator, and prints each step and its target
// assignment as one line of JSON per group. Arguments: SEED GROUPS. The same seed prints the same lines.

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.re2j.Pattern;
import java.lang.reflect.Constructor;
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
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.TargetAssignmentBuilder;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroup;
import org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroupMember;
import org.apache.kafka.coordinator.group.modern.consumer.ResolvedRegularExpression;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.timeline.SnapshotRegistry;

public class Groups {
    static final String[] EXPRESSIONS = {"t.*", "t[0-9]", ".*1.*", "absent-.*"};

    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[0]);
        ObjectMapper json = new ObjectMapper();
        for (int number = 0; number < Integer.parseInt(args[1]); number++) {
            System.out.println(json.writeValueAsString(new Groups(new Random((seed + number) * 0x9E3779B97F4A7C15L)).play()));
        }
    }

    final Random random;
    final ConsumerGroupPartitionAssignor assignor;
    final ConsumerGroup group;
    final List<Object> steps = new ArrayList<>();
    final TreeMap<String, Uuid> topics = new TreeMap<>();
    final Map<String, Integer> partitions = new TreeMap<>();
    final int membersMax;
    final int topicsMax;
    final int partitionsMax;
    final boolean alike;
    final List<String> alikeNames = new ArrayList<>();
    MetadataImage image = MetadataImage.EMPTY;
    int topicNumber;
    int instanceNumber;
    int epoch;

    Groups(Random random) throws ReflectiveOperationException {
        this.random = random;
        SnapshotRegistry registry = logging(SnapshotRegistry.class);
        group = logging(ConsumerGroup.class, registry, "group");
        assignor = random.nextInt(4) == 0 ? new RangeAssignor() : new UniformAssignor();
        boolean large = random.nextInt(25) == 0;
        membersMax = large ? 80 : 1 + random.nextInt(20);
        topicsMax = 1 + random.nextInt(random.nextInt(5) == 0 ? 40 : 9);
        partitionsMax = random.nextInt(10) == 0 ? 90 : 1 + random.nextInt(12);
        alike = random.nextBoolean();
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

    Map<String, Object> play() {
        int first = 1 + random.nextInt(topicsMax);
        for (int i = 0; i < first; i++) createTopic();
        if (alike) alikeNames.addAll(someNames());
        int length = membersMax + 6 + random.nextInt(12);
        for (int i = 0; i < length; i++) step();
        Map<String, Object> played = new LinkedHashMap<>();
        played.put("assignor", assignor.name());
        played.put("steps", steps);
        return played;
    }

    void step() {
        int members = group.members().size();
        int dice = random.nextInt(100);
        if (members == 0 || (members < membersMax && dice < 60)) {
            join();
        } else if (dice < 68) {
            leave();
        } else if (dice < 76) {
            if (topics.size() < topicsMax) createTopic(); else addPartitions();
            refresh();
        } else if (dice < 82) {
            addPartitions();
        } else if (dice < 85 && topics.size() > 1) {
            deleteTopic();
            refresh();
        } else if (dice < 90) {
            replace();
        } else {
            change();
        }
        if (!group.members().isEmpty() && random.nextBoolean()) {
            ConsumerGroupMember member = any();
            heartbeat(member, member, new ArrayList<>(new TreeSet<>(member.subscribedTopicNames())), null);
        }
    }

    ConsumerGroupMember any() {
        List<String> ids = new ArrayList<>(new TreeSet<>(group.members().keySet()));
        return group.members().get(ids.get(random.nextInt(ids.size())));
    }

    void join() {
        String instance = random.nextInt(4) == 0 ? "instance-" + instanceNumber++ : null;
        ConsumerGroupMember.Builder made = new ConsumerGroupMember.Builder(newId()).setInstanceId(instance)
            .setRackId(random.nextBoolean() ? "rack-" + random.nextInt(3) : null);
        subscribe(null, made.build(), null);
    }

    void change() {
        ConsumerGroupMember member = any();
        subscribe(member, member, null);
    }

    void replace() {
        ConsumerGroupMember old = any();
        if (old.instanceId() == null) return;
        ConsumerGroupMember.Builder made = new ConsumerGroupMember.Builder(newId()).setInstanceId(old.instanceId())
            .setSubscribedTopicRegex("");
        subscribe(old, made.build(), old.memberId());
    }

    void leave() {
        String id = any().memberId();
        group.removeTargetAssignment(id);
        group.removeMember(id);
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("leaves", id);
        steps.add(step);
    }

    void subscribe(ConsumerGroupMember before, ConsumerGroupMember member, String replaces) {
        List<String> names = alike ? new ArrayList<>(alikeNames) : someNames();
        Collections.shuffle(names, random);
        String expression = "";
        if (random.nextInt(6) == 0 && !alike) {
            expression = EXPRESSIONS[random.nextInt(EXPRESSIONS.length)];
            if (random.nextBoolean()) names.clear();
            resolve(expression);
        }
        ConsumerGroupMember updated =
            new ConsumerGroupMember.Builder(member).setSubscribedTopicNames(names).setSubscribedTopicRegex(expression).build();
        heartbeat(before, updated, names, replaces);
    }

    void resolve(String expression) {
        Pattern pattern = Pattern.compile(expression);
        List<String> found = new ArrayList<>();
        for (String name : topics.keySet()) if (pattern.matches(name)) found.add(name);
        group.updateResolvedRegularExpression(expression, new ResolvedRegularExpression(new HashSet<>(found), 1, 1));
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("expression", expression);
        step.put("topics", found);
        steps.add(step);
    }

    void refresh() {
        for (String expression : new TreeSet<>(group.resolvedRegularExpressions().keySet())) resolve(expression);
    }

    // One heartbeat whose member is the cause of an assignment, as GroupMetadataManager computes it.
    void heartbeat(ConsumerGroupMember before, ConsumerGroupMember updated, List<String> names, String replaces) {
        int members = group.members().size();
        if (!group.hasMember(updated.memberId()) && !group.hasStaticMember(updated.instanceId())) members++;
        SubscriptionType type = ConsumerGroup.subscriptionType(
            group.computeSubscribedRegularExpressions(before, updated),
            group.computeSubscribedTopicNames(before, updated),
            members);
        // As the group is once the member's records are replayed. The replaced member's assignment is the new one's.
        Map<String, ConsumerGroupMember> afterwards = new LinkedHashMap<>(group.members());
        // The builder compares with get, so that the new member gets a record even if it keeps that assignment.
        Map<String, Assignment> targetBefore = new HashMap<>(group.targetAssignment()) {
            @Override
            public Assignment get(Object id) {
                return replaces != null && updated.memberId().equals(id) ? null : super.get(id);
            }
        };
        if (replaces != null) {
            afterwards.remove(replaces);
            targetBefore.put(updated.memberId(), targetBefore.remove(replaces));
        }
        afterwards.put(updated.memberId(), updated);
        var builder = new TargetAssignmentBuilder.ConsumerTargetAssignmentBuilder("group", ++epoch, assignor)
            .withResolvedRegularExpressions(group.resolvedRegularExpressions())
            .withTime(Time.SYSTEM)
            .withMembers(afterwards)
            .withSubscriptionType(type)
            .withTargetAssignment(targetBefore)
            .withInvertedTargetAssignment(group.invertedTargetAssignment())
            .withMetadataImage(new KRaftCoordinatorMetadataImage(image));
        List<CoordinatorRecord> records = builder.build().records();

        if (replaces != null) {
            Assignment kept = group.targetAssignment(replaces);
            group.updateMember(group.members().get(replaces));
            group.removeTargetAssignment(replaces);
            group.removeMember(replaces);
            group.updateMember(written(updated, names));
            group.updateTargetAssignment(updated.memberId(), kept);
        } else {
            group.updateMember(written(updated, names));
        }
        List<Object> targets = new ArrayList<>();
        for (CoordinatorRecord record : records) {
            if (!(record.key() instanceof ConsumerGroupTargetAssignmentMemberKey key)) continue;
            var value = (ConsumerGroupTargetAssignmentMemberValue) record.value().message();
            List<Object> assigned = new ArrayList<>();
            for (var topic : value.topicPartitions()) assigned.add(List.of(topic.topicId().toString(), topic.partitions()));
            targets.add(List.of(key.memberId(), assigned));
            group.updateTargetAssignment(key.memberId(), Assignment.fromRecord(value));
        }
        group.updateMember(group.members().get(updated.memberId())); // the record of its current assignment
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("member", updated.memberId());
        step.put("instance", updated.instanceId());
        step.put("rack", updated.rackId());
        step.put("names", names);
        step.put("subscribed", updated.subscribedTopicRegex());
        step.put("replaces", replaces);
        step.put("homogeneous", type == SubscriptionType.HOMOGENEOUS);
        step.put("targets", targets);
        steps.add(step);
    }

    // The member as replay makes it from its record, whose names are sorted.
    static ConsumerGroupMember written(ConsumerGroupMember member, List<String> names) {
        return new ConsumerGroupMember.Builder(member).setSubscribedTopicNames(new ArrayList<>(new TreeSet<>(names))).build();
    }

    List<String> someNames() {
        List<String> known = new ArrayList<>(topics.keySet());
        Set<String> names = new TreeSet<>();
        int count = random.nextInt(3) == 0 ? known.size() : 1 + random.nextInt(known.size());
        Collections.shuffle(known, random);
        names.addAll(known.subList(0, count));
        int missing = random.nextInt(4) == 0 ? random.nextInt(12) : 0;
        for (int i = 0; i < missing; i++) names.add("absent-" + random.nextInt(30));
        return new ArrayList<>(names);
    }

    void createTopic() {
        String name = "t" + topicNumber++;
        Uuid id = new Uuid(random.nextLong(), random.nextLong());
        topics.put(name, id);
        partitions.put(name, 0);
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        delta.replay(new TopicRecord().setName(name).setTopicId(id));
        grow(delta, name, 1 + random.nextInt(partitionsMax));
    }

    void addPartitions() {
        String name = new ArrayList<>(topics.keySet()).get(random.nextInt(topics.size()));
        grow(new MetadataDelta.Builder().setImage(image).build(), name, 1 + random.nextInt(4));
    }

    void grow(MetadataDelta delta, String name, int count) {
        for (int i = 0; i < count; i++) {
            delta.replay(new PartitionRecord().setTopicId(topics.get(name)).setPartitionId(partitions.get(name) + i)
                .setReplicas(List.of(0)).setIsr(List.of(0)).setLeader(0));
        }
        partitions.merge(name, count, Integer::sum);
        apply(delta);
    }

    void deleteTopic() {
        String name = new ArrayList<>(topics.keySet()).get(random.nextInt(topics.size()));
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        delta.replay(new RemoveTopicRecord().setTopicId(topics.remove(name)));
        partitions.remove(name);
        apply(delta);
    }

    void apply(MetadataDelta delta) {
        image = delta.apply(MetadataProvenance.EMPTY);
        Map<String, Object> known = new LinkedHashMap<>();
        topics.forEach((name, id) -> known.put(name, List.of(id.toString(), partitions.get(name))));
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("topics", known);
        steps.add(step);
    }

    String newId() {
        return new Uuid(random.nextLong(), random.nextLong()).toString();
    }
}
