import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.producer.*;

public class Written {
    static Properties props(String id) {
        Properties p = new Properties();
        p.put("bootstrap.servers", System.getProperty("bootstrap", "127.0.0.1:29592"));
        p.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        p.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        p.put("transaction.timeout.ms", "900000");
        if (id != null) p.put("transactional.id", id);
        return p;
    }
    static KafkaProducer<String, String> tx(String id) {
        KafkaProducer<String, String> p = new KafkaProducer<>(props(id));
        p.initTransactions();
        return p;
    }
    static void send(KafkaProducer<String, String> p, String topic, String key, int count) throws Exception {
        for (int i = 0; i < count; i++) p.send(new ProducerRecord<>(topic, 0, key, "value " + key + i)).get();
    }
    public static void main(String[] args) throws Exception {
        Properties a = new Properties();
        a.put("bootstrap.servers", System.getProperty("bootstrap", "127.0.0.1:29592"));
        Admin admin = Admin.create(a);
        Map<String, String> small = new HashMap<>(Map.of("internal.segment.bytes", "1500", "index.interval.bytes", "200"));
        NewTopic orders = new NewTopic("orders", 1, (short) 1).configs(small);
        Map<String, String> compact = new HashMap<>(small);
        compact.put("cleanup.policy", "compact");
        compact.put("min.cleanable.dirty.ratio", "0.001");
        compact.put("segment.ms", "3600000");
        compact.put("delete.retention.ms", args.length > 0 ? args[0] : "0");
        NewTopic table = new NewTopic("table", 1, (short) 1).configs(compact);
        admin.createTopics(List.of(orders, table)).all().get();
        KafkaProducer<String, String> one = tx("one"), two = tx("two"), three = tx("three"), open = tx("open");
        KafkaProducer<String, String> plain = new KafkaProducer<>(props(null));
        for (String topic : List.of("orders", "table")) {
            one.beginTransaction(); two.beginTransaction();
            send(one, topic, "a", 3); send(two, topic, "b", 2); send(plain, topic, "p", 1);
            one.abortTransaction();
            send(two, topic, "a", 2);
            two.commitTransaction();
            for (int round = 0; round < 4; round++) {
                one.beginTransaction(); three.beginTransaction();
                send(one, topic, "k" + round, 4); send(three, topic, "k" + (round + 1) % 3, 3);
                send(plain, topic, "p", 2);
                if (round % 2 == 0) { three.abortTransaction(); one.commitTransaction(); }
                else { one.abortTransaction(); three.abortTransaction(); }
            }
            two.beginTransaction(); send(two, topic, "z", 12); 
            one.beginTransaction(); send(one, topic, "y", 9); one.abortTransaction();
            two.abortTransaction();
        }
        open.beginTransaction();
        send(open, "orders", "o", 2);
        one.beginTransaction(); send(one, "orders", "x", 8); one.abortTransaction();
        three.beginTransaction(); send(three, "orders", "x", 2); three.commitTransaction();
        send(plain, "table", "end", 20);
        System.out.println("recorded");
        if (System.getProperty("wait") != null) Thread.sleep(Long.parseLong(System.getProperty("wait")));
        Runtime.getRuntime().halt(0);
    }
}
