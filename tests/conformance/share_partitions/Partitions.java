// Plays scripts of operations on Kafka's share partition. Reads a script per line, as JSON (see scripts.py), and
// prints a line per script: for each operation its result, what was written to the share coordinator, and the state.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import kafka.server.ReplicaManager;
import org.apache.kafka.clients.consumer.internals.ShareAcquireMode;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfigProvider;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.share.acknowledge.ShareAcknowledgementBatch;
import org.apache.kafka.server.share.fetch.AcquisitionLockTimerTask;
import org.apache.kafka.server.share.fetch.InFlightBatch;
import org.apache.kafka.server.share.fetch.InFlightState;
import org.apache.kafka.server.share.fetch.ShareAcquiredRecords;
import org.apache.kafka.server.share.persister.PartitionFactory;
import org.apache.kafka.server.share.persister.Persister;
import org.apache.kafka.server.share.persister.PersisterStateBatch;
import org.apache.kafka.server.share.persister.ReadShareGroupStateResult;
import org.apache.kafka.server.share.persister.TopicData;
import org.apache.kafka.server.share.persister.WriteShareGroupStateParameters;
import org.apache.kafka.server.share.persister.WriteShareGroupStateResult;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.apache.kafka.server.util.timer.TimerTaskEntry;

public class Partitions {
    static final Uuid TOPIC_ID = new Uuid(1, 2);
    static final ObjectMapper JSON = new ObjectMapper();
    static final Map<String, Method> METHODS = new HashMap<>();
    static Constructor<?> constructor;
    static Object replicaManager;

    public static void main(String[] args) throws Exception {
        System.setProperty("log4j2.level", "OFF");
        Class<?> kind = Class.forName("kafka.server.share.SharePartition");
        for (Method each : kind.getDeclaredMethods()) {
            each.setAccessible(true);
            METHODS.put(each.getName(), each);
        }
        for (Constructor<?> each : kind.getDeclaredConstructors())
            if (constructor == null || each.getParameterCount() < constructor.getParameterCount()) constructor = each;
        constructor.setAccessible(true);
        replicaManager = madeWithoutConstructor(ReplicaManager.class);
        set(replicaManager, "delayedShareFetchPurgatory",
            new DelayedOperationPurgatory<>("shares", new Clock(), 0, 1000, false, false));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line; (line = in.readLine()) != null; ) {
            out.println(JSON.writeValueAsString(new Partitions(JSON.readTree(line)).play()));
            out.flush();
        }
    }

    static Object madeWithoutConstructor(Class<?> kind) throws Exception {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field field = unsafe.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return unsafe.getMethod("allocateInstance", Class.class).invoke(field.get(null), kind);
    }

    static void set(Object object, String name, Object value) throws Exception {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(object, field.getType() == Optional.class ? Optional.of(value) : value); // optional since 4.4
    }

    // Both the time and the timer. Tasks that are due run in the order of their expiration, then of their insertion.
    static class Clock implements Time, Timer {
        record Entry(TimerTaskEntry task, long number) {}

        final PriorityQueue<Entry> tasks = new PriorityQueue<>(
            Comparator.comparingLong((Entry each) -> each.task().expirationMs).thenComparingLong(Entry::number));
        long nowMs;
        long added;

        public void add(TimerTask task) {
            tasks.add(new Entry(new TimerTaskEntry(task, nowMs + task.delayMs), added++));
        }

        public boolean advanceClock(long toMs) {
            nowMs = toMs;
            while (!tasks.isEmpty() && tasks.peek().task().expirationMs <= nowMs) {
                TimerTaskEntry each = tasks.poll().task();
                if (!each.cancelled()) each.timerTask.run();
            }
            return true;
        }

        public int size() {
            return tasks.size();
        }

        public void close() {}

        public long milliseconds() {
            return nowMs;
        }

        public long hiResClockMs() {
            return nowMs;
        }

        public long nanoseconds() {
            return nowMs * 1_000_000;
        }

        public void sleep(long ms) {}

        public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMs) {}
    }

    final JsonNode script;
    final Clock clock = new Clock();
    final Map<String, GroupConfig> configs = new HashMap<>();
    final List<Object> writes = new ArrayList<>();
    final List<List<CompletableFuture<WriteShareGroupStateResult>>> pending = new ArrayList<>();
    List<CompletableFuture<WriteShareGroupStateResult>> begun = new ArrayList<>();
    String outcome = "ok";
    long logStart;
    long rememberedOffset;
    long rememberedLogStart;
    Object partition;

    Partitions(JsonNode script) {
        this.script = script;
    }

    List<Object> play() throws Exception {
        limit(script.get("limits"));
        List<Object> given = new ArrayList<>();
        for (Class<?> kind : constructor.getParameterTypes()) given.add(given(kind));
        partition = constructor.newInstance(given.toArray());
        logStart = script.get("start").asLong();
        List<Object> played = new ArrayList<>();
        CompletableFuture<?> begins = (CompletableFuture<?>) call("maybeInitialize");
        if (begins.isCompletedExceptionally()) {
            played.add(List.of("invalid"));
            return played;
        }
        played.add(List.of("ok", List.of(), state()));
        for (JsonNode each : script.get("operations")) {
            writes.clear();
            begun = new ArrayList<>();
            Object result;
            try {
                result = run(each);
            } catch (InvocationTargetException ex) {
                result = "throws " + ex.getCause().getClass().getSimpleName();
            }
            if (!begun.isEmpty()) pending.add(begun);
            played.add(List.of(result, new ArrayList<>(writes), state()));
        }
        return played;
    }

    // An argument of the constructor. Its arguments depend on the release.
    Object given(Class<?> kind) throws Exception {
        if (kind == String.class) return "group";
        if (kind == int.class) return 1;
        if (kind == TopicIdPartition.class) return new TopicIdPartition(TOPIC_ID, new TopicPartition("topic", 0));
        if (kind == Time.class || kind == Timer.class) return clock;
        if (kind == GroupConfigManager.class) return manager();
        if (kind == ShareGroupConfigProvider.class) return new ShareGroupConfigProvider(manager());
        if (kind == ReplicaManager.class) return replicaManager;
        if (kind == Consumer.class) return (Consumer<Object>) key -> {};
        if (kind == Supplier.class) return (Supplier<Boolean>) () -> false; // no dead letter queues
        if (kind != Persister.class) return null;
        return Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind},
            (proxy, method, given) -> method.getName().equals("readState") ? read() : write(given[0]));
    }

    GroupConfigManager manager() throws Exception {
        GroupConfigManager manager = (GroupConfigManager) madeWithoutConstructor(GroupConfigManager.class);
        set(manager, "configMap", configs);
        return manager;
    }

    Object call(String name, Object... given) throws Exception {
        return METHODS.get(name).invoke(partition, given);
    }

    void limit(JsonNode limits) throws Exception {
        GroupConfig config = (GroupConfig) madeWithoutConstructor(GroupConfig.class);
        set(config, "shareRecordLockDurationMs", limits.get(0).asInt());
        set(config, "shareDeliveryCountLimit", limits.get(1).asInt());
        set(config, "sharePartitionMaxRecordLocks", limits.get(2).asInt());
        set(config, "shareRenewAcknowledgeEnable", limits.get(3).asBoolean());
        configs.put("group", config);
    }

    Object run(JsonNode operation) throws Exception {
        switch (operation.get(0).asText()) {
            case "remember":
                rememberedOffset = (long) call("nextFetchOffset");
                rememberedLogStart = logStart;
                return "ok";
            case "acquire":
                return acquire(operation);
            case "acknowledge":
                outcome = operation.get(3).asText();
                List<ShareAcknowledgementBatch> batches = new ArrayList<>();
                for (JsonNode each : operation.get(2)) {
                    List<Byte> types = new ArrayList<>();
                    for (JsonNode type : each.get(2)) types.add((byte) type.asInt());
                    batches.add(new ShareAcknowledgementBatch(each.get(0).asLong(), each.get(1).asLong(), types));
                }
                return result((CompletableFuture<?>) call("acknowledge", operation.get(1).asText(), batches));
            case "release":
                outcome = operation.get(2).asText();
                return result((CompletableFuture<?>) call("releaseAcquiredRecords", operation.get(1).asText()));
            case "advance":
                outcome = operation.get(2).asText();
                clock.advanceClock(operation.get(1).asLong());
                return "ok";
            case "log start":
                logStart = operation.get(1).asLong();
                call("updateCacheAndOffsets", logStart);
                return "ok";
            case "limits":
                limit(operation.get(1));
                return "ok";
            case "complete":
                if (pending.isEmpty()) return "nothing";
                boolean written = operation.get(2).asBoolean();
                for (var each : pending.remove(operation.get(1).asInt() % pending.size())) each.complete(written(written));
                return "ok";
            default:
                throw new IllegalArgumentException(operation.toString());
        }
    }

    Object result(CompletableFuture<?> future) {
        if (!future.isDone()) return "later";
        if (!future.isCompletedExceptionally()) return writes.isEmpty() ? "nothing" : "ok";
        if (!writes.isEmpty()) return "fails";
        Throwable error = future.handle((none, ex) -> ex).join();
        return List.of(Errors.forException(error).name(), error.getMessage());
    }

    Object acquire(JsonNode operation) throws Exception {
        boolean remembered = operation.get(7).asBoolean();
        long offset = remembered ? rememberedOffset : (long) call("nextFetchOffset");
        long from = Math.max(offset, remembered ? rememberedLogStart : logStart);
        boolean committed = operation.get(6).asBoolean();
        List<JsonNode> batches = new ArrayList<>();
        for (JsonNode each : script.get("log"))
            if (each.get(1).asLong() >= from && batches.size() < operation.get(5).asInt()) batches.add(each);
        List<AbortedTransaction> aborted = new ArrayList<>();
        for (JsonNode each : script.get("aborted"))
            if (committed && !batches.isEmpty() && each.get(2).asLong() >= offset
                && each.get(1).asLong() <= batches.get(batches.size() - 1).get(1).asLong())
                aborted.add(new AbortedTransaction().setProducerId(each.get(0).asLong()).setFirstOffset(each.get(1).asLong()));
        FetchPartitionData fetched = new FetchPartitionData(Errors.NONE, 0, 0, records(batches), Optional.empty(),
            OptionalLong.empty(), committed ? Optional.of(aborted) : Optional.empty(), OptionalInt.empty(), false);
        ShareAcquiredRecords acquired = (ShareAcquiredRecords) call("acquire", operation.get(1).asText(),
            operation.get(2).asBoolean() ? ShareAcquireMode.RECORD_LIMIT : ShareAcquireMode.BATCH_OPTIMIZED,
            operation.get(3).asInt(), operation.get(4).asInt(), offset, fetched,
            committed ? FetchIsolation.TXN_COMMITTED : FetchIsolation.HIGH_WATERMARK);
        List<Object> result = new ArrayList<>();
        for (var each : acquired.acquiredRecords()) result.add(List.of(each.firstOffset(), each.lastOffset(), each.deliveryCount()));
        return List.of(result, acquired.count());
    }

    // Batches without records, as compaction leaves them: no more of them is looked at.
    MemoryRecords records(List<JsonNode> batches) {
        ByteBuffer buffer = ByteBuffer.allocate(200 * batches.size());
        for (JsonNode each : batches) {
            long base = each.get(0).asLong();
            long producer = each.get(3).asLong();
            String kind = each.get(2).asText();
            if (kind.equals("abort") || kind.equals("commit")) {
                ControlRecordType type = kind.equals("abort") ? ControlRecordType.ABORT : ControlRecordType.COMMIT;
                EndTransactionMarker marker = new EndTransactionMarker(type, 0);
                buffer.put(MemoryRecords.withEndTransactionMarker(base, 0, 0, producer, (short) 0, marker).buffer());
            } else {
                DefaultRecordBatch.writeEmptyHeader(buffer, (byte) 2, producer, (short) 0, 0, base, each.get(1).asLong(), 0,
                    TimestampType.CREATE_TIME, 0, kind.equals("transactional"), false);
            }
        }
        return MemoryRecords.readableRecords(buffer.flip());
    }

    CompletableFuture<ReadShareGroupStateResult> read() {
        List<PersisterStateBatch> stored = new ArrayList<>();
        for (JsonNode each : script.get("stored"))
            stored.add(new PersisterStateBatch(each.get(0).asLong(), each.get(1).asLong(), (byte) each.get(2).asInt(), (short) each.get(3).asInt()));
        var found = PartitionFactory.newPartitionAllData(0, 7, script.get("start").asLong(), (short) 0, "", stored);
        return CompletableFuture.completedFuture(new ReadShareGroupStateResult.Builder()
            .setTopicsData(List.of(new TopicData<>(TOPIC_ID, List.of(found)))).build());
    }

    CompletableFuture<WriteShareGroupStateResult> write(Object parameters) {
        var given = ((WriteShareGroupStateParameters) parameters).groupTopicPartitionData().topicsData().get(0).partitions().get(0);
        List<Object> batches = new ArrayList<>();
        for (PersisterStateBatch each : given.stateBatches())
            batches.add(List.of(each.firstOffset(), each.lastOffset(), each.deliveryState(), each.deliveryCount()));
        writes.add(List.of(given.startOffset(), given.deliveryCompleteCount(), batches));
        if (!outcome.equals("later")) return CompletableFuture.completedFuture(written(outcome.equals("ok")));
        CompletableFuture<WriteShareGroupStateResult> later = new CompletableFuture<>();
        begun.add(later);
        return later;
    }

    static WriteShareGroupStateResult written(boolean written) {
        short error = (written ? Errors.NONE : Errors.NOT_COORDINATOR).code();
        return new WriteShareGroupStateResult.Builder().setTopicsData(List.of(
            new TopicData<>(TOPIC_ID, List.of(PartitionFactory.newPartitionErrorData(0, error, "not written"))))).build();
    }

    @SuppressWarnings("unchecked")
    Object state() throws Exception {
        List<Object> batches = new ArrayList<>();
        for (InFlightBatch batch : ((NavigableMap<Long, InFlightBatch>) call("cachedState")).values()) {
            List<List<Object>> runs = new ArrayList<>();
            if (batch.offsetState() == null) {
                Field field = InFlightBatch.class.getDeclaredField("batchState");
                field.setAccessible(true);
                add(runs, batch.firstOffset(), batch.lastOffset(), (InFlightState) field.get(batch));
            } else {
                batch.offsetState().forEach((offset, each) -> add(runs, offset, offset, each));
            }
            batches.add(List.of(batch.offsetState() != null, runs));
        }
        return List.of(call("startOffset"), call("endOffset"), call("deliveryCompleteCount"), call("nextFetchOffset"),
            call("canAcquireRecords"), batches);
    }

    // Adds the state of these offsets, to the last run if it is the same.
    static void add(List<List<Object>> runs, long first, long last, InFlightState state) {
        AcquisitionLockTimerTask lock = state.acquisitionLockTimeoutTask();
        List<Object> run = new ArrayList<>(List.of(first, last, state.state().id(), state.deliveryCount(), state.memberId(),
            state.hasOngoingStateTransition(), lock == null ? -1 : lock.expirationMs()));
        List<Object> before = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        if (before != null && before.subList(2, 7).equals(run.subList(2, 7))) before.set(1, last);
        else runs.add(run);
    }
}
