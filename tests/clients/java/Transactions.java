// AdminClient and transactions, with producers of Kafka's own client: java -cp 'kafka/*' Transactions.java BOOTSTRAP
//
// Prints facts, one per line, which the test compares with those of Kafka.

import java.io.PrintStream;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.*;

public class Transactions {
    static final PrintStream FACTS = System.out;
    static final TopicPartition FIRST = new TopicPartition("orders", 0);
    static final TopicPartition SECOND = new TopicPartition("orders", 1);

    final String bootstrap;
    final Admin admin;

    Transactions(String bootstrap) {
        this.bootstrap = bootstrap;
        admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    public static void main(String[] args) throws Exception {
        System.setOut(System.err); // the log of Kafka's clients
        try {
            new Transactions(args[0]).run();
        } catch (Exception failed) { // Java's launcher of source files cannot show one without a stack, as Kafka's are
            failed.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        FACTS.flush();
        Runtime.getRuntime().halt(0); // without the producers' own end, which would abort their transactions
    }

    void run() throws Exception {
        admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1))).all().get();
        KafkaProducer<String, String> committed = begin("committed", FIRST);
        committed.commitTransaction();
        KafkaProducer<String, String> aborted = begin("aborted", FIRST);
        aborted.abortTransaction();
        awaitStable(FIRST);
        KafkaProducer<String, String> open = begin("open", FIRST, SECOND);
        list();
        describe("committed", "aborted", "open", "unknown");
        producers(FIRST);
        FACTS.println("held back: " + stable(FIRST) + " of " + end(FIRST) + ", " + stable(SECOND) + " of " + end(SECOND));
        fence(open);
        terminate();
        abort();
    }

    // fenceProducers

    void fence(KafkaProducer<String, String> open) throws Exception {
        FenceProducersResult fenced = admin.fenceProducers(List.of("open", "never used"));
        FACTS.println("fenced open: epoch " + fenced.epochId("open").get());
        FACTS.println("fenced never used: epoch " + fenced.epochId("never used").get());
        awaitStable(FIRST, SECOND);
        describe("open");
        FACTS.println("the fenced producer: " + failure(open::commitTransaction));
    }

    // forceTerminateTransaction

    void terminate() throws Exception {
        KafkaProducer<String, String> open = begin("terminated", SECOND);
        admin.forceTerminateTransaction("terminated").result().get();
        awaitStable(SECOND);
        describe("terminated");
        FACTS.println("the terminated producer: " + failure(open::commitTransaction));
        FACTS.println("terminate again: " + result(admin.forceTerminateTransaction("terminated").result()));
        FACTS.println("terminate unknown: " + result(admin.forceTerminateTransaction("nobody").result()));
    }

    // abortTransaction, which writes a marker to one partition without the coordinator's knowledge

    void abort() throws Exception {
        begin("hanging", FIRST).commitTransaction();
        awaitStable(FIRST);
        KafkaProducer<String, String> hanging = begin("hanging", FIRST, SECOND);
        ProducerState state = describeProducers(FIRST).stream().filter(each -> each.currentTransactionStartOffset().isPresent())
            .findFirst().orElseThrow();
        int old = state.producerEpoch() - 1;
        FACTS.println("abort with an old epoch: "
            + result(admin.abortTransaction(new AbortTransactionSpec(FIRST, state.producerId(), (short) old, 0)).all()));
        FACTS.println("abort: " + result(admin.abortTransaction(
            new AbortTransactionSpec(FIRST, state.producerId(), (short) state.producerEpoch(), 0)).all()));
        awaitStable(FIRST);
        FACTS.println("held back: " + stable(SECOND) + " of " + end(SECOND));
        describe("hanging");
        producers(FIRST);
        hanging.abortTransaction();
        awaitStable(FIRST, SECOND);
        describe("hanging");
    }

    KafkaProducer<String, String> begin(String transactionalId, TopicPartition... partitions) throws Exception {
        Map<String, Object> settings = Map.of(
            "bootstrap.servers", bootstrap, "transactional.id", transactionalId, "transaction.timeout.ms", 123_456);
        KafkaProducer<String, String> producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
        producer.beginTransaction();
        for (TopicPartition each : partitions) {
            producer.send(new ProducerRecord<>(each.topic(), each.partition(), "key", "of " + transactionalId)).get();
        }
        return producer;
    }

    void list() throws Exception {
        ListTransactionsOptions all = new ListTransactionsOptions();
        FACTS.println("all: " + listed(all));
        FACTS.println("ongoing: " + listed(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING))));
        FACTS.println("complete: " + listed(new ListTransactionsOptions()
            .filterStates(Set.of(TransactionState.COMPLETE_ABORT, TransactionState.COMPLETE_COMMIT))));
        FACTS.println("of an hour: " + listed(new ListTransactionsOptions().filterOnDuration(3_600_000)));
        FACTS.println("of 0 ms: " + listed(new ListTransactionsOptions().filterOnDuration(0)));
        FACTS.println("by pattern: " + listed(new ListTransactionsOptions().filterOnTransactionalIdPattern(".*o.*ted")));
        FACTS.println("by a bad pattern: "
            + result(admin.listTransactions(new ListTransactionsOptions().filterOnTransactionalIdPattern("(")).all()));
        long producerId = admin.describeTransactions(List.of("open")).description("open").get().producerId();
        FACTS.println("by producer: " + listed(new ListTransactionsOptions().filterProducerIds(List.of(producerId))));
        FACTS.println("by an unknown producer: " + listed(new ListTransactionsOptions().filterProducerIds(List.of(987654321L))));
    }

    String listed(ListTransactionsOptions options) throws Exception {
        return admin.listTransactions(options).all().get().stream()
            .map(each -> each.transactionalId() + " " + each.state()).sorted().toList().toString();
    }

    void describe(String... transactionalIds) throws Exception {
        DescribeTransactionsResult result = admin.describeTransactions(List.of(transactionalIds));
        for (String each : transactionalIds) {
            try {
                TransactionDescription found = result.description(each).get();
                FACTS.println(each + ": coordinator " + found.coordinatorId() + ", " + found.state() + ", epoch "
                    + found.producerEpoch() + ", timeout " + found.transactionTimeoutMs() + ", began "
                    + found.transactionStartTimeMs().isPresent() + ", " + sorted(found.topicPartitions()));
            } catch (ExecutionException failed) {
                FACTS.println(each + ": " + failed.getCause().getClass().getSimpleName());
            }
        }
    }

    static List<String> sorted(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::toString).sorted().toList();
    }

    List<ProducerState> describeProducers(TopicPartition partition) throws Exception {
        return admin.describeProducers(List.of(partition)).partitionResult(partition).get().activeProducers();
    }

    void producers(TopicPartition partition) throws Exception {
        Map<Long, String> lines = new TreeMap<>();
        for (ProducerState each : describeProducers(partition)) {
            lines.put(each.producerId(), "epoch " + each.producerEpoch() + ", sequence " + each.lastSequence()
                + ", coordinator epoch " + each.coordinatorEpoch() + ", open from " + each.currentTransactionStartOffset());
        }
        lines.values().forEach(line -> FACTS.println("producer of " + partition + ": " + line));
    }

    long stable(TopicPartition partition) throws Exception {
        return offset(partition, IsolationLevel.READ_COMMITTED);
    }

    long end(TopicPartition partition) throws Exception {
        return offset(partition, IsolationLevel.READ_UNCOMMITTED);
    }

    long offset(TopicPartition partition, IsolationLevel level) throws Exception {
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(level))
            .partitionResult(partition).get().offset();
    }

    void awaitStable(TopicPartition... partitions) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        for (TopicPartition each : partitions) {
            while (stable(each) < end(each)) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException(each + " is held back at " + stable(each));
                }
            }
        }
    }

    static String failure(Runnable call) {
        try {
            call.run();
            return "no failure";
        } catch (RuntimeException failed) {
            return failed.getClass().getSimpleName();
        }
    }

    static String result(Future<?> future) throws Exception {
        try {
            future.get();
            return "done";
        } catch (ExecutionException failed) {
            return failed.getCause().getClass().getSimpleName();
        }
    }
}
