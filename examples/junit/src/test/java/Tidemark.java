import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A broker in a process of its own, with its data in a folder. */
final class Tidemark implements AutoCloseable {
    final String bootstrapServers;
    private final String http;
    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();

    Tidemark(Path folder) throws IOException, InterruptedException {
        Path ready = folder.resolve("ready.json");
        process = new ProcessBuilder("tidemark", "serve", "--port", "0", "--http-port", "0", "--test-api",
                        "--data-dir", folder.resolve("data").toString(), "--ready-file", ready.toString(),
                        "--set", "tidemark.sync=never", "--set", "group.initial.rebalance.delay.ms=0")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (!Files.exists(ready)) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                process.destroy();
                throw new IOException("tidemark did not start");
            }
            Thread.sleep(5);
        }
        String addresses = Files.readString(ready);
        bootstrapServers = text(addresses, "bootstrap_servers");
        http = text(addresses, "http");
    }

    /** Calls /v1 and returns the JSON of the response. A null body is none. */
    String call(String method, String path, String body) throws IOException, InterruptedException {
        var publisher = body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body);
        var request = HttpRequest.newBuilder(URI.create("http://" + http + "/v1" + path)).method(method, publisher);
        var response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 400) {
            throw new IOException(method + " " + path + ": " + text(response.body(), "message"));
        }
        return response.body();
    }

    /** Returns the first text with this name. A project with a JSON library uses that instead. */
    static String text(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\": \"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        return found.find() ? found.group(1) : null;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }
}
