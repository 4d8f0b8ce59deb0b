// Joins two topics with exactly_once_v2:
// java -cp 'kafka-streams/*' StreamJoin.java BOOTSTRAP APPLICATION PROTOCOL LEFT RIGHT TARGET STATE_DIR [INSTANCE_ID]
//
// A record of LEFT is "KEY NUMBER", without a key, and is repartitioned by its key. One of RIGHT has the key and a number.
// TARGET gets "KEY LEFT RIGHT" for each pair of numbers with the same key, once. Prints "running" when it has partitions.

import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;

public class StreamJoin {
    public static void main(String[] args) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, args[1]);
        settings.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, args[2]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, args[6]);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 50);
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
        settings.put(StreamsConfig.mainConsumerPrefix("auto.offset.reset"), "earliest");
        settings.put(StreamsConfig.producerPrefix("transaction.timeout.ms"), 6000);
        if (args.length > 7) {
            settings.put(StreamsConfig.mainConsumerPrefix("group.instance.id"), args[7]);
        }
        if (args[2].equals("classic")) {
            settings.put(StreamsConfig.mainConsumerPrefix("session.timeout.ms"), 3000);
            settings.put(StreamsConfig.mainConsumerPrefix("heartbeat.interval.ms"), 300);
        }
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> left = builder.<String, String>stream(args[3])
            .selectKey((key, value) -> value.split(" ")[0])
            .mapValues(value -> value.split(" ")[1])
            .repartition();
        KStream<String, String> right = builder.stream(args[4]);
        left.join(
                right,
                (key, one, other) -> key + " " + one + " " + other,
                JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofDays(1)))
            .to(args[5]);
        KafkaStreams streams = new KafkaStreams(builder.build(settings), settings);
        streams.setUncaughtExceptionHandler(failure -> {
            failure.printStackTrace();
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
        streams.setStateListener((state, before) -> {
            if (state == KafkaStreams.State.RUNNING) {
                System.out.println("running");
            }
        });
        streams.start();
    }
}
