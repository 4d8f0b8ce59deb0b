// Prints the hashes that Kafka computes of random topics and of the topics that a group subscribes to, one line of
// JSON per cluster. Arguments: SEED CLUSTERS. The same seed prints the same lines.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.Utils;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;

public class Hashes {
    static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    static final String[] RACKS = {null, null, "rack-a", "b", "\u00fcber-\u4e2d", "\ud83d\ude00", "eu-central-1a"};

    public static void main(String[] args) throws Exception {
        ObjectMapper json = new ObjectMapper();
        Random random = new Random(Long.parseLong(args[0]));
        for (int number = 0; number < Integer.parseInt(args[1]); number++) {
            System.out.println(json.writeValueAsString(cluster(random)));
        }
    }

    static Map<String, Object> cluster(Random random) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
        Map<Integer, String> racks = new TreeMap<>();
        int brokers = 1 + random.nextInt(5);
        for (int id = 0; id < brokers; id++) {
            String rack = RACKS[random.nextInt(RACKS.length)];
            racks.put(id, rack);
            delta.replay(new RegisterBrokerRecord().setBrokerId(id).setRack(rack));
        }
        Map<String, Object> topics = new LinkedHashMap<>();
        int count = random.nextInt(9);
        for (int i = 0; i < count; i++) {
            StringBuilder name = new StringBuilder();
            int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 249 : 12);
            for (int j = 0; j < length; j++) name.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
            if (topics.containsKey(name.toString())) continue;
            Uuid id = new Uuid(random.nextLong(), random.nextLong());
            delta.replay(new TopicRecord().setName(name.toString()).setTopicId(id));
            List<List<Integer>> partitions = new ArrayList<>();
            int size = random.nextInt(random.nextInt(4) == 0 ? 200 : 6);
            for (int partition = 0; partition < size; partition++) {
                List<Integer> replicas = new ArrayList<>();
                int first = random.nextInt(brokers);
                int factor = 1 + random.nextInt(brokers);
                for (int k = 0; k < factor; k++) replicas.add((first + k) % brokers);
                partitions.add(replicas);
                delta.replay(new PartitionRecord().setTopicId(id).setPartitionId(partition).setReplicas(replicas)
                    .setIsr(replicas).setLeader(first));
            }
            topics.put(name.toString(), List.of(id.toString(), partitions));
        }
        var image = new KRaftCoordinatorMetadataImage(delta.apply(MetadataProvenance.EMPTY));
        Map<String, Long> hashes = new HashMap<>();
        for (String name : topics.keySet()) hashes.put(name, Utils.computeTopicHash(name, image));
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("racks", racks);
        line.put("topics", topics);
        line.put("hashes", new TreeMap<>(hashes));
        line.put("group", Utils.computeGroupHash(hashes));
        return line;
    }
}
