import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** Tests that move time. They need the test API, and the port of HTTP beside Kafka's. */
@Testcontainers
class ExpiryTest {
    @Container
    static final KafkaContainer kafka = new KafkaContainer(
                    DockerImageName.parse("tidemark:8.0.0").asCompatibleSubstituteFor("apache/kafka"))
            .withEnv("TIDEMARK_TEST_API", "true")
            .withExposedPorts(9092, Tidemark.PORT);

    static Tidemark tidemark;
    static Billing billing;
    String empty;

    @BeforeAll
    static void start() {
        tidemark = new Tidemark(kafka);
        billing = new Billing(kafka.getBootstrapServers());
    }

    @BeforeEach
    void prepare() throws Exception {
        empty = Tidemark.text(tidemark.call("POST", "/snapshots", null), "id");
        tidemark.call("POST", "/seed", "{\"topics\": {\"orders\": {\"records\": [\"one\", \"two\"]}}}");
    }

    @AfterEach
    void restore() throws Exception {
        tidemark.call("POST", "/snapshots/" + empty + "/restore", null);
    }

    @Test
    void aGroupContinuesAfterSixDays() throws Exception {
        assertEquals("one", billing.next());
        tidemark.call("POST", "/clock/advance", "{\"days\": 6}");
        assertEquals("two", billing.next());
    }

    @Test
    void aGroupStartsOverAfterEightDays() throws Exception {
        assertEquals("one", billing.next());
        tidemark.call("POST", "/clock/advance", "{\"days\": 8}");
        assertEquals("expired", Tidemark.text(tidemark.call("GET", "/expiry/log?group=billing", null), "cause"));
        assertEquals("one", billing.next());
    }
}
