// java -cp 'kafka/*' Transactions.java BOOTSTRAP TOPIC PRODUCERS WARMUP_MS MEASURE_MS: measures transactions of Kafka's producer.
//
// A transaction has ten records in two partitions, and an offset of a group. Each producer has a thread. The warm-up begins when
// all are initialised. Prints a JSON list of the milliseconds of each transaction.

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class Transactions {
    static final int RECORDS = 10;
    static final int PARTITIONS = 2;
    static final byte[] VALUE = new byte[200];

    public static void main(String[] args) throws Exception {
        int producers = Integer.parseInt(args[2]);
        long[] spans = {Long.parseLong(args[3]) * 1_000_000, Long.parseLong(args[4]) * 1_000_000};
        CyclicBarrier ready = new CyclicBarrier(producers);
        List<Double> taken = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < producers; n++) {
            String name = "java-" + n;
            Thread thread = new Thread(() -> measure(args[0], args[1], name, ready, spans, taken));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(taken);
    }

    static void await(CyclicBarrier ready) {
        try {
            ready.await();
        } catch (InterruptedException | BrokenBarrierException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static void measure(String bootstrap, String topic, String name, CyclicBarrier ready, long[] spans, List<Double> taken) {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "transactional.id", name);
        ConsumerGroupMetadata group = new ConsumerGroupMetadata(name);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            await(ready);
            long warm = System.nanoTime() + spans[0];
            long offset = 0;
            for (long started = System.nanoTime(); started < warm + spans[1]; started = System.nanoTime()) {
                producer.beginTransaction();
                for (int i = 0; i < RECORDS; i++) {
                    producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, VALUE));
                }
                offset += RECORDS;
                producer.sendOffsetsToTransaction(Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(offset)), group);
                producer.commitTransaction();
                if (started >= warm) {
                    synchronized (taken) {
                        taken.add((System.nanoTime() - started) / 1e6);
                    }
                }
            }
        }
    }
}
