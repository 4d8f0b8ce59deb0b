package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BillingTest {
    @RegisterExtension
    static final Tidemark tidemark = Tidemark.start(Map.of());

    final Billing billing = new Billing(tidemark.bootstrapServers());

    static void orders(String... values) {
        tidemark.seed(Map.of("topics", Map.of("orders", Map.of("records", List.of(values)))));
    }

    @Test
    void aGroupContinuesAfterSixDays() {
        orders("one", "two");
        assertEquals("one", billing.next());
        tidemark.advance(Duration.ofDays(6));
        assertEquals("two", billing.next());
    }

    @Test
    void aGroupStartsOverAfterEightDays() {
        orders("one", "two");
        assertEquals("one", billing.next());
        tidemark.advance(Duration.ofDays(8));
        String why = tidemark.explain("billing", "orders", 0);
        assertTrue(why.startsWith("Offset 1 of orders-0 of group billing was removed at "), why);
        assertEquals("one", billing.next());
    }

    @Test
    void aCommitThatFailsIsSentAgain() {
        orders("one");
        tidemark.fault(Map.of("api", "OffsetCommit", "error", "COORDINATOR_LOAD_IN_PROGRESS", "times", 1));
        assertEquals("one", billing.next());
        var commits = tidemark.requests(Map.of("api", "OffsetCommit", "group", "billing"));
        assertEquals(2, commits.size());
        assertEquals("COORDINATOR_LOAD_IN_PROGRESS", commits.get(0).at("/errors/0").asText());
    }

    @Test
    void aWrongSettingStopsTheStartWithTheReason() {
        var error = assertThrows(
                UncheckedIOException.class, () -> Tidemark.start(Map.of("offsets.retention.minutes", 0)));
        assertTrue(error.getMessage().contains("offsets.retention.minutes"), error.getMessage());
    }
}
