// Counts words with exactly_once_v2:
// java -cp 'kafka-streams/*' WordCount.java BOOTSTRAP APPLICATION PROTOCOL SOURCE TARGET STATE_DIR [INSTANCE_ID]
//
// The lines of SOURCE are words with a space between them. Each word is followed in TARGET by "WORD COUNT", so that the counts
// of a word are 1, 2, 3 and so on. Prints "running" when it has partitions.

import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.KStream;

public class WordCount {
    public static void main(String[] args) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, args[1]);
        settings.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, args[2]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, args[5]);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 50);
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
        settings.put(StreamsConfig.mainConsumerPrefix("auto.offset.reset"), "earliest");
        settings.put(StreamsConfig.producerPrefix("transaction.timeout.ms"), 6000);
        if (args.length > 6) {
            settings.put(StreamsConfig.mainConsumerPrefix("group.instance.id"), args[6]);
        }
        if (args[2].equals("classic")) {  // a streams group has the settings of the broker
            settings.put(StreamsConfig.mainConsumerPrefix("session.timeout.ms"), 3000);
            settings.put(StreamsConfig.mainConsumerPrefix("heartbeat.interval.ms"), 300);
        }
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> lines = builder.stream(args[3]);
        lines.flatMapValues(line -> Arrays.asList(line.split(" ")))
            .groupBy((key, word) -> word)
            .count()
            .toStream()
            .mapValues((word, count) -> word + " " + count)
            .to(args[4]);
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
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
