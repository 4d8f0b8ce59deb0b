// Prints what Kafka's AdminClient knows about the groups of a cluster: java -cp 'kafka/*' Snapshots.java BOOTSTRAP
//
// Each line on stdin is answered with one line of JSON: the groups with their members, and the committed offsets.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.*;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;

public class Snapshots {
    public static void main(String[] args) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", args[0], "default.api.timeout.ms", 120_000);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        ObjectMapper json = new ObjectMapper();
        try (Admin admin = Admin.create(settings)) {
            while (lines.readLine() != null) {
                System.out.println(json.writeValueAsString(snapshot(admin)));
                System.out.flush();
            }
        }
    }

    static Map<String, Object> snapshot(Admin admin) throws Exception {
        Map<GroupType, List<String>> ids = new EnumMap<>(GroupType.class);
        Map<String, Map<String, Object>> groups = new TreeMap<>();
        for (GroupListing each : admin.listGroups().all().get()) {
            ids.computeIfAbsent(each.type().get(), type -> new ArrayList<>()).add(each.groupId());
            Map<String, Object> group = new TreeMap<>();
            group.put("type", each.type().get().toString().toLowerCase());
            group.put("protocol_type", each.protocol());
            groups.put(each.groupId(), group);
        }
        admin.describeClassicGroups(of(ids, GroupType.CLASSIC)).all().get().forEach((id, it) ->
            describe(groups.get(id), it.state(), it.members().stream().map(MemberDescription::consumerId)));
        admin.describeConsumerGroups(of(ids, GroupType.CONSUMER)).all().get().forEach((id, it) ->
            describe(groups.get(id), it.groupState(), it.members().stream().map(MemberDescription::consumerId)));
        admin.describeStreamsGroups(of(ids, GroupType.STREAMS)).all().get().forEach((id, it) ->
            describe(groups.get(id), it.groupState(), it.members().stream().map(StreamsGroupMemberDescription::memberId)));
        admin.describeShareGroups(of(ids, GroupType.SHARE)).all().get().forEach((id, it) ->
            describe(groups.get(id), it.groupState(), it.members().stream().map(ShareMemberDescription::consumerId)));

        Map<String, ListConsumerGroupOffsetsSpec> wanted = ids.entrySet().stream()
            .filter(each -> each.getKey() != GroupType.SHARE).flatMap(each -> each.getValue().stream())
            .collect(Collectors.toMap(id -> id, id -> new ListConsumerGroupOffsetsSpec()));
        List<List<Object>> offsets = new ArrayList<>();
        admin.listConsumerGroupOffsets(wanted).all().get().forEach((id, found) -> {
            for (Map.Entry<TopicPartition, OffsetAndMetadata> each : found.entrySet()) {
                TopicPartition at = each.getKey();
                OffsetAndMetadata it = each.getValue();
                offsets.add(it == null ? Arrays.asList(id, at.topic(), at.partition(), null, null, null)
                    : List.of(id, at.topic(), at.partition(), it.offset(), it.leaderEpoch().orElse(-1), it.metadata()));
            }
        });
        return Map.of("groups", groups, "offsets", offsets);
    }

    static List<String> of(Map<GroupType, List<String>> ids, GroupType type) {
        return ids.getOrDefault(type, List.of());
    }

    static void describe(Map<String, Object> group, Object state, java.util.stream.Stream<String> members) {
        group.put("state", state.toString());
        group.put("members", members.sorted().toList());
    }
}
