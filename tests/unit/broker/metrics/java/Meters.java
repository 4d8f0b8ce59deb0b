// Kafka's own Meter under times that are drawn, one run a line: {"windows", "windowMs", "steps": [[ms, events, count, rate], ...]}.
// Each step marks its events (0: marks nothing), then reads where read is 1. Recorded into ../meters.json:
//     python -m tests.kafka_oracle classpath; java -cp JARS Meters.java > meters.json

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.CompoundStat.NamedMeasurable;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.stats.Meter;

public class Meters {
    public static void main(String[] arguments) {
        Random random = new Random(496);
        List<String> runs = new ArrayList<>();
        for (int run = 0; run < 60; run++) {
            int windows = new int[] {2, 2, 2, 1, 3, 5}[random.nextInt(6)];
            long windowMs = new long[] {30_000, 30_000, 1_000, 7}[random.nextInt(4)];
            runs.add(run(random, windows, windowMs));
        }
        System.out.println("[\n" + String.join(",\n", runs) + "\n]");
    }

    static String run(Random random, int windows, long windowMs) {
        MetricConfig config = new MetricConfig().samples(windows).timeWindow(windowMs, TimeUnit.MILLISECONDS);
        Meter meter = new Meter(new MetricName("rate", "", "", java.util.Map.of()), new MetricName("count", "", "", java.util.Map.of()));
        List<NamedMeasurable> stats = meter.stats();
        long now = 1_000;
        List<String> steps = new ArrayList<>();
        for (int step = 0; step < 40; step++) {
            // From the same moment to a few windows on, and now and then exactly one window.
            now += random.nextInt(8) == 0 ? windowMs : (long) (windowMs * Math.pow(random.nextDouble(), 3) * 3);
            int events = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(20);
            if (events > 0) {
                meter.record(config, events, now);
            }
            if (random.nextBoolean()) {
                double count = stats.get(0).stat().measure(config, now);
                double rate = stats.get(1).stat().measure(config, now);
                steps.add("[" + now + ", " + events + ", " + count + ", " + rate + "]");
            } else {
                steps.add("[" + now + ", " + events + ", null, null]");
            }
        }
        return "{\"windows\": " + windows + ", \"windowMs\": " + windowMs + ", \"steps\": [" + String.join(", ", steps) + "]}";
    }
}
