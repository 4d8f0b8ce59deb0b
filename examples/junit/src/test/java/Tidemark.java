import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testcontainers.kafka.KafkaContainer;

/** The HTTP API of a container that runs tidemark, which also moves its time. */
final class Tidemark {
    static final int PORT = 9464;
    private final HttpClient client = HttpClient.newHttpClient();
    private final String address;

    Tidemark(KafkaContainer container) {
        address = "http://" + container.getHost() + ":" + container.getMappedPort(PORT) + "/v1";
    }

    /** Calls /v1 and returns the JSON of the response. A null body is none. */
    String call(String method, String path, String body) throws IOException, InterruptedException {
        var publisher = body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body);
        var request = HttpRequest.newBuilder(URI.create(address + path)).method(method, publisher);
        var response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 400) {
            throw new IOException(method + " " + path + ": " + text(response.body(), "message"));
        }
        return response.body();
    }

    /** Returns the first text with this name. A project with a JSON library uses that instead. */
    static String text(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\": ?\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        return found.find() ? found.group(1) : null;
    }
}
