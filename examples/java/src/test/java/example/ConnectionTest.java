package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** With a bean in place of a property: it can be shared by tests, and starts the broker when it is first needed. */
@SpringBootTest
class ConnectionTest {
    @TestConfiguration
    static class Connection {
        @Bean(destroyMethod = "close")
        Tidemark tidemark() {
            return Tidemark.start(Map.of());
        }

        @Bean
        KafkaConnectionDetails kafka(Tidemark tidemark) {
            return () -> List.of(tidemark.bootstrapServers());
        }
    }

    @Autowired
    Tidemark tidemark;

    @Autowired
    Shipping shipping;

    @Test
    void anOrderIsShipped() throws InterruptedException {
        tidemark.produce("orders", "two");
        assertEquals("two", shipping.shipped.poll(30, TimeUnit.SECONDS));
    }
}
