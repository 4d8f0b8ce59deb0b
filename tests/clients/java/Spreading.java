// Sends one record to each partition of a topic with Kafka's own producer and its defaults:
// java -cp 'kafka/*' Spreading.java BOOTSTRAP TOPIC PARTITIONS
//
// Prints the number of partitions that acknowledged it, as ../clients/spreading.py does.

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.serialization.*;

public class Spreading {
    public static void main(String[] args) throws Exception {
        System.out.println(produce(args[0], args[1], Integer.parseInt(args[2])));
    }

    static int produce(String bootstrap, String topic, int partitions) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        Set<Integer> delivered = new HashSet<>();
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int partition = 0; partition < partitions; partition++) {
                sent.add(producer.send(new ProducerRecord<>(topic, partition, null, valueOf(partition))));
            }
            producer.flush();
            for (Future<RecordMetadata> one : sent) {
                delivered.add(one.get().partition());
            }
        }
        return delivered.size();
    }

    static String valueOf(int partition) {
        return "value of partition " + partition;
    }
}
