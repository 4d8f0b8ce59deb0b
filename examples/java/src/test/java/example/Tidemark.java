package example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A tidemark broker in a process of its own, and its HTTP API. As an extension of JUnit 5, it is empty at the start of
 * each test:
 *
 * <pre>{@code @RegisterExtension static final Tidemark tidemark = Tidemark.start(Map.of());}</pre>
 *
 * <p>It ends with this JVM, even if that is killed.
 */
public final class Tidemark implements AfterEachCallback, AfterAllCallback, AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
    private final HttpClient client = HttpClient.newHttpClient();
    private final Process process;
    private final Path folder;
    private final JsonNode ready;
    private final String empty;

    /** Starts a broker on free ports. settings: Kafka's, by name. It accepts connections when this returns. */
    public static Tidemark start(Map<String, Object> settings) {
        return start(settings, START_TIMEOUT);
    }

    /** Fails if the broker is not ready within the timeout. */
    public static Tidemark start(Map<String, Object> settings, Duration timeout) {
        try {
            return new Tidemark(settings, timeout);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private Tidemark(Map<String, Object> settings, Duration timeout) throws IOException {
        folder = Files.createTempDirectory("tidemark-");
        List<String> command = new ArrayList<>(List.of(
                "tidemark", "serve", "--port", "0", "--http-port", "0", "--data-dir", folder.resolve("data").toString(),
                "--test-api", "--stop-with-parent", "--set", "tidemark.sync=never",
                "--set", "group.initial.rebalance.delay.ms=0"));
        settings.forEach((name, value) -> command.addAll(List.of("--set", name + "=" + value)));
        Path errors = folder.resolve("errors");
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String line = firstLine(timeout);
        if (line == null) {
            process.destroyForcibly();
            String reason = Files.readString(errors);
            close();
            throw new IOException("tidemark has not started within " + timeout.toMillis() + " ms: " + reason);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::closeAtExit)); // of a broker that no test closes
        ready = JSON.readTree(line);
        empty = call("POST", "/snapshots", null).get("id").asText();
    }

    /** Returns the first line that the broker prints. Null: it has ended, or has printed none within the timeout. */
    private String firstLine(Duration timeout) throws IOException {
        var line = new FutureTask<String>(process.inputReader()::readLine);
        new Thread(line).start();
        try {
            return line.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException error) {
            return null;
        } catch (ExecutionException | InterruptedException error) {
            throw new IOException(error);
        }
    }

    public String bootstrapServers() {
        return ready.get("bootstrap_servers").asText();
    }

    /** Creates topics with records, and commits offsets: {topics: {orders: {records: [a]}}, groups: {g: {orders: 1}}}. */
    public void seed(Map<String, Object> content) {
        call("POST", "/seed", content);
    }

    /** Writes a record for each value. */
    public void produce(String topic, String... values) {
        call("POST", "/records", Map.of("topic", topic, "records", List.of(values)));
    }

    /** Moves time, and runs the expiration of offsets. Returns what expired. */
    public JsonNode advance(Duration span) {
        return call("POST", "/clock/advance", Map.of("ms", span.toMillis()));
    }

    /** Says when and why the committed offset expires, or why it is gone. */
    public String explain(String group, String topic, int partition) {
        List<JsonNode> found = new ArrayList<>();
        String query = "?group=" + encoded(group);
        call("GET", "/expiry/log" + query, null).get("removals").forEach(found::add);
        boolean exists = call("GET", "/groups", null).findValuesAsText("group").contains(group);
        if (exists) {
            call("GET", "/offsets" + query, null).get("offsets").forEach(found::add);
        }
        return found.stream()
                .filter(each -> each.get("topic").asText().equals(topic) && each.get("partition").asInt() == partition)
                .reduce((first, second) -> second)
                .orElseThrow(() -> new AssertionError(group + " has committed no offset of " + topic + "-" + partition))
                .get("explanation")
                .asText();
    }

    /** Sets a fault, such as {api: OffsetCommit, error: NOT_COORDINATOR, times: 2}. */
    public void fault(Map<String, Object> fields) {
        call("POST", "/faults", fields);
    }

    /** Returns the recorded requests that pass the filters, such as {api: OffsetCommit, client_id: app-1}. */
    public List<JsonNode> requests(Map<String, String> filters) {
        String query = filters.entrySet().stream()
                .map(each -> each.getKey() + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
        JsonNode found = call("GET", "/requests?limit=1000&" + query, null).get("requests");
        return StreamSupport.stream(found.spliterator(), false).toList();
    }

    /** Calls /v1. A null body is none. An error of the broker becomes an exception with its message. */
    public JsonNode call(String method, String path, Object body) {
        try {
            var content = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(JSON.writeValueAsString(body));
            var uri = URI.create("http://" + ready.get("http").asText() + "/v1" + path);
            var response = client.send(HttpRequest.newBuilder(uri).method(method, content).build(), BodyHandlers.ofString());
            JsonNode result = JSON.readTree(response.body());
            if (response.statusCode() >= 400) {
                throw new IllegalArgumentException(method + " " + path + ": " + result.at("/error/message").asText());
            }
            return result;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(error);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Restores the empty broker and the present time. Clients are disconnected. */
    @Override
    public void afterEach(ExtensionContext context) {
        call("POST", "/snapshots/" + empty + "/restore", null);
    }

    /** Stops the broker after the last test of a class. */
    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        close();
    }

    private void closeAtExit() {
        try {
            close();
        } catch (IOException error) {
            System.err.println("tidemark: " + error);
        }
    }

    /** Stops the broker, and deletes its data. */
    @Override
    public void close() throws IOException {
        process.destroy();
        process.onExit().join();
        if (!Files.exists(folder)) {
            return;
        }
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
