// Plays random share groups through the classes of Kafka's group coordinator, and prints each step and its target
// assignment as one line of JSON per group. Arguments: SEED GROUPS. The same seed prints the same lines.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
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
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.SimpleAssignor;
import org.apache.kafka.coordinator.group.generated.ShareGroupTargetAssignmentMemberKey;
import org.apache.kafka.coordinator.group.generated.ShareGroupTargetAssignmentMemberValue;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.ModernGroup;
import org.apache.kafka.coordinator.group.modern.TargetAssignmentBuilder;
import org.apache.kafka.coordinator.group.modern.share.ShareGroup;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupMember;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.timeline.SnapshotRegistry;

public class Shares {
    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[0]);
        ObjectMapper json = new ObjectMapper();
        for (int number = 0; number < Integer.parseInt(args[1]); number++) {
            System.out.println(json.writeValueAsString(new Shares(new Random((seed + number) * 0x9E3779B97F4A7C15L)).play()));
        }
    }

    final Random random;
    final ShareGroup group;
    final List<Object> steps = new ArrayList<>();
    final TreeMap<String, Uuid> topics = new TreeMap<>();
    final Map<String, Integer> partitions = new TreeMap<>();
    final Map<Uuid, Set<Integer>> initialized = new HashMap<>();
    final int membersMax;
    final int topicsMax;
    final int partitionsMax;
    final boolean alike;
    MetadataImage image = MetadataImage.EMPTY;
    int topicNumber;
    int epoch;

    Shares(Random random) throws ReflectiveOperationException {
        this.random = random;
        group = new ShareGroup(logging(SnapshotRegistry.class), "group");
        membersMax = random.nextInt(20) == 0 ? 60 : 1 + random.nextInt(18);
        topicsMax = 1 + random.nextInt(random.nextInt(5) == 0 ? 20 : 6);
        partitionsMax = random.nextInt(10) == 0 ? 60 : 1 + random.nextInt(9);
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

    List<Object> play() {
        int first = 1 + random.nextInt(topicsMax);
        for (int i = 0; i < first; i++) createTopic();
        int length = membersMax + 8 + random.nextInt(14);
        for (int i = 0; i < length; i++) step();
        return steps;
    }

    void step() {
        int members = group.members().size();
        int dice = random.nextInt(100);
        if (members == 0 || (members < membersMax && dice < 50)) {
            heartbeat(newId(), names());
        } else if (dice < 62) {
            String id = any();
            group.removeTargetAssignment(id);
            group.removeMember(id);
            steps.add(Map.of("leaves", id));
        } else if (dice < 70 && topics.size() < topicsMax) {
            createTopic();
        } else if (dice < 78) {
            String name = new ArrayList<>(topics.keySet()).get(random.nextInt(topics.size()));
            grow(new MetadataDelta.Builder().setImage(image).build(), name, 1 + random.nextInt(4));
        } else if (dice < 81 && topics.size() > 1) {
            deleteTopic();
        } else if (dice < 90) {
            heartbeat(any(), names());
        } else {
            initialize();
            String id = any();
            heartbeat(id, new ArrayList<>(new TreeSet<>(group.members().get(id).subscribedTopicNames())));
        }
    }

    String any() {
        List<String> ids = new ArrayList<>(new TreeSet<>(group.members().keySet()));
        return ids.get(random.nextInt(ids.size()));
    }

    List<String> names() {
        List<String> known = new ArrayList<>(topics.keySet());
        Collections.shuffle(known, random);
        int count = alike || random.nextInt(3) == 0 ? known.size() : 1 + random.nextInt(known.size());
        List<String> names = new ArrayList<>(known.subList(0, count));
        if (random.nextInt(6) == 0 && !alike) names.add("absent-" + random.nextInt(9));
        return names;
    }

    // One heartbeat that computes an assignment, as GroupMetadataManager.shareGroupHeartbeat does.
    void heartbeat(String id, List<String> names) {
        ShareGroupMember before = group.getOrMaybeCreateMember(id, true);
        ShareGroupMember updated = new ShareGroupMember.Builder(before).setSubscribedTopicNames(names).build();
        SubscriptionType type =
            ModernGroup.subscriptionType(group.computeSubscribedTopicNames(before, updated), group.numMembers());
        var builder = new TargetAssignmentBuilder.ShareTargetAssignmentBuilder("group", ++epoch, new SimpleAssignor())
            .withTime(Time.SYSTEM)
            .withMembers(group.members())
            .withSubscriptionType(type)
            .withTargetAssignment(group.targetAssignment())
            .withTopicAssignablePartitionsMap(initialized)
            .withInvertedTargetAssignment(group.invertedTargetAssignment())
            .withMetadataImage(new KRaftCoordinatorMetadataImage(image))
            .addOrUpdateMember(id, updated);
        List<CoordinatorRecord> records = builder.build().records();
        group.updateMember(new ShareGroupMember.Builder(updated)
            .setSubscribedTopicNames(new ArrayList<>(new TreeSet<>(names))).build());
        List<Object> targets = new ArrayList<>();
        for (CoordinatorRecord record : records) {
            if (!(record.key() instanceof ShareGroupTargetAssignmentMemberKey key)) continue;
            var value = (ShareGroupTargetAssignmentMemberValue) record.value().message();
            List<Object> assigned = new ArrayList<>();
            for (var topic : value.topicPartitions()) assigned.add(List.of(topic.topicId().toString(), topic.partitions()));
            targets.add(List.of(key.memberId(), assigned));
            group.updateTargetAssignment(key.memberId(), Assignment.fromRecord(value));
        }
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("member", id);
        step.put("names", names);
        step.put("homogeneous", type == SubscriptionType.HOMOGENEOUS);
        step.put("targets", targets);
        steps.add(step);
    }

    void initialize() {
        Map<String, Object> known = new LinkedHashMap<>();
        topics.forEach((name, id) -> {
            Set<Integer> all = new TreeSet<>();
            for (int i = 0; i < partitions.get(name); i++) all.add(i);
            if (random.nextInt(8) > 0) initialized.put(id, all);
            if (initialized.containsKey(id)) known.put(id.toString(), initialized.get(id));
        });
        steps.add(Map.of("initialized", known));
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
        initialized.remove(topics.get(name));
        delta.replay(new RemoveTopicRecord().setTopicId(topics.remove(name)));
        partitions.remove(name);
        apply(delta);
    }

    void apply(MetadataDelta delta) {
        image = delta.apply(MetadataProvenance.EMPTY);
        Map<String, String> known = new LinkedHashMap<>();
        topics.forEach((name, id) -> known.put(name, id.toString()));
        steps.add(Map.of("topics", known));
    }

    String newId() {
        return new Uuid(random.nextLong(), random.nextLong()).toString();
    }
}
