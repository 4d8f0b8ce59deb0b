package example;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.kafka.annotation.KafkaListener;

/** An application of Spring Boot, which reads orders as a member of the group "shipping". */
@SpringBootApplication
class Shipping {
    final BlockingQueue<String> shipped = new LinkedBlockingQueue<>();

    @KafkaListener(topics = "orders", groupId = "shipping", properties = "auto.offset.reset=earliest")
    void ship(String order) {
        shipped.add(order);
    }
}
