// Logs in with Kafka's admin client. Usage: java -cp 'kafka/*' Logins.java BOOTSTRAP SESSIONS [SETTING=VALUE ...]
// Makes requests until the client has authenticated again SESSIONS times on its connections. Prints the number of topics
// and of these sessions as JSON, or the error.

import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Metric;

public class Logins {
    static final long DEADLINE_MS = 120_000;

    public static void main(String[] args) throws Exception {
        int wanted = Integer.parseInt(args[1]);
        Properties settings = new Properties();
        settings.put("bootstrap.servers", args[0]);
        settings.put("request.timeout.ms", "30000");
        for (int i = 2; i < args.length; i++) {
            String[] setting = args[i].split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        long end = System.currentTimeMillis() + DEADLINE_MS;
        try (Admin admin = Admin.create(settings)) {
            int topics;
            double sessions;
            do {
                topics = admin.listTopics().names().get().size();
                sessions = sessions(admin);
            } while (sessions < wanted && System.currentTimeMillis() < end);
            System.out.printf("{\"topics\": %d, \"sessions\": %d}%n", topics, (int) sessions);
        } catch (ExecutionException failed) {
            System.out.printf("{\"error\": \"%s\"}%n", failed.getCause().getClass().getSimpleName());
        }
        System.exit(0);
    }

    static double sessions(Admin admin) {
        double total = 0;
        for (Metric metric : admin.metrics().values()) {
            if (metric.metricName().name().equals("successful-reauthentication-total") && metric.metricValue() instanceof Double number) {
                total += number;
            }
        }
        return total;
    }
}
