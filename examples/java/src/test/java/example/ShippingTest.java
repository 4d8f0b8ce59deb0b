package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest
class ShippingTest {
    static final Tidemark tidemark = Tidemark.start(Map.of());

    @DynamicPropertySource
    static void kafka(DynamicPropertyRegistry registry) {
        registry.add("spring.kafka.bootstrap-servers", tidemark::bootstrapServers);
    }

    @Autowired
    Shipping shipping;

    @Test
    void anOrderIsShipped() throws InterruptedException {
        tidemark.produce("orders", "one");
        assertEquals("one", shipping.shipped.poll(30, TimeUnit.SECONDS));
    }
}
