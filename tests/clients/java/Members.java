// Members that stay until stdin ends: java -cp 'kafka/*' Members.java BOOTSTRAP TOPIC PARTITIONS GROUP/PROTOCOL/CLIENT_ID[/INSTANCE_ID] ...
//
// PROTOCOL is consumer (KIP-848), classic or share. Prints "ready" once every member of a consumer group has partitions and,
// within each group, all partitions are assigned once and committed.

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public class Members {
    static final Map<String, Map<String, Set<TopicPartition>>> ASSIGNED = new ConcurrentHashMap<>();
    static final Map<String, List<String>> CLASSIC = new ConcurrentHashMap<>();

    public static void main(String[] args) throws Exception {
        for (int i = 3; i < args.length; i++) {
            String[] parts = args[i].split("/");
            if (parts[1].equals("consumer")) {
                waitForClassicMembers(parts[0]);
            }
            Thread member = new Thread(() -> stayOrEnd(args[0], args[1], parts));
            member.setDaemon(true);
            if (!parts[1].equals("share")) {
                ASSIGNED.computeIfAbsent(parts[0], group -> new ConcurrentHashMap<>()).put(parts[2], Set.of());
                if (parts[1].equals("classic")) {
                    CLASSIC.computeIfAbsent(parts[0], group -> new ArrayList<>()).add(parts[2]);
                }
            }
            member.start();
        }
        while (!allAssigned(Integer.parseInt(args[2]))) {
            Thread.sleep(50);
        }
        System.out.println("ready");
        System.in.read();
        Runtime.getRuntime().halt(0);
    }

    // Kafka answers a heartbeat with UNKNOWN_SERVER_ERROR if the classic group that it would convert has no generation yet.
    static void waitForClassicMembers(String group) throws InterruptedException {
        for (String client : CLASSIC.getOrDefault(group, List.of())) {
            while (ASSIGNED.get(group).get(client).isEmpty()) {
                Thread.sleep(50);
            }
        }
    }

    static boolean allAssigned(int partitions) {
        for (Map<String, Set<TopicPartition>> members : ASSIGNED.values()) {
            List<TopicPartition> all = new ArrayList<>();
            for (Set<TopicPartition> one : members.values()) {
                if (one.isEmpty()) {
                    return false;
                }
                all.addAll(one);
            }
            if (all.size() != partitions || new HashSet<>(all).size() != partitions) {
                return false;
            }
        }
        return true;
    }

    static void stayOrEnd(String bootstrap, String topic, String[] parts) {
        try {
            stay(bootstrap, topic, parts);
        } catch (Throwable error) {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    static void stay(String bootstrap, String topic, String[] parts) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("group.id", parts[0]);
        settings.put("client.id", parts[2]);
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        if (parts[1].equals("share")) {
            KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(settings, bytes, bytes);
            consumer.subscribe(List.of(topic));
            while (true) {
                consumer.poll(Duration.ofMillis(100));
            }
        }
        settings.put("group.protocol", parts[1]);
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "earliest");
        if (parts.length > 3) {
            settings.put("group.instance.id", parts[3]);
        }
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes);
        consumer.subscribe(List.of(topic));
        while (true) {
            consumer.poll(Duration.ofMillis(100));
            Set<TopicPartition> mine = new HashSet<>(consumer.assignment());
            if (!mine.equals(ASSIGNED.get(parts[0]).get(parts[2]))) {
                try {
                    consumer.commitSync();
                } catch (CommitFailedException | RebalanceInProgressException moved) {
                    continue;
                }
                ASSIGNED.get(parts[0]).put(parts[2], mine);
            }
        }
    }
}
