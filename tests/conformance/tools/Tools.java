// Kafka's own command line tools, many of them in one JVM: java -cp JARS_WITHOUT_KAFKA_TOOLS Tools.java KAFKA_TOOLS_JAR
//
// Each line of stdin is {"tool": class of the tool, "arguments": [...], "stdin": text, "timeoutMs": n}; each is answered by one
// line {"exit": code, "out": text, "err": text} on stdout. Every tool gets its own class loader, because tools count in static
// fields, and its own thread, whose children inherit its streams. A tool that exits stays where it is for ever, after its
// shutdown hooks, as it would never come back from System.exit: no catch of its own may see it. Exit code 124: it has not
// ended in time.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.utils.Exit;

public class Tools {
    static final int TIMED_OUT = 124;
    static final InheritableThreadLocal<Run> RUN = new InheritableThreadLocal<>();

    static class Run {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final List<Runnable> hooks = new ArrayList<>();
        final CountDownLatch ended = new CountDownLatch(1);
        final InputStream in;
        volatile int code = TIMED_OUT;

        Run(String stdin) {
            in = new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8));
        }

        void end(int exitCode) {
            for (Runnable hook : hooks) {
                hook.run();
            }
            code = exitCode;
            ended.countDown();
        }
    }

    public static void main(String[] arguments) throws Exception {
        URL[] tools = {Path.of(arguments[0]).toUri().toURL()};
        PrintStream answers = System.out;
        PrintStream elsewhere = System.err;
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.setOut(new PrintStream(new Shared(elsewhere, true), true));
        System.setErr(new PrintStream(new Shared(elsewhere, false), true));
        System.setIn(new SharedInput());
        Exit.setExitProcedure(Tools::exit);
        Exit.setHaltProcedure(Tools::exit);
        Exit.setShutdownHookAdder((name, hook) -> RUN.get().hooks.add(hook));

        ObjectMapper json = new ObjectMapper();
        for (String line; (line = requests.readLine()) != null; ) {
            answers.println(json.writeValueAsString(run(tools, json.readTree(line))));
            answers.flush();
        }
        Runtime.getRuntime().halt(0); // tools that exited stand still in their threads
    }

    static Map<String, Object> run(URL[] tools, JsonNode request) throws InterruptedException {
        Run run = new Run(request.path("stdin").asText(""));
        String[] arguments =
            StreamSupport.stream(request.path("arguments").spliterator(), false).map(JsonNode::asText).toArray(String[]::new);
        RUN.set(run);
        Thread thread = new Thread(() -> call(tools, request.path("tool").asText(), arguments, run), "main");
        RUN.remove();
        thread.setDaemon(true);
        thread.start();
        run.ended.await(request.path("timeoutMs").asLong(60_000), TimeUnit.MILLISECONDS);
        return Map.of(
            "exit", run.code,
            "out", run.out.toString(StandardCharsets.UTF_8),
            "err", run.err.toString(StandardCharsets.UTF_8));
    }

    static void call(URL[] tools, String tool, String[] arguments, Run run) {
        try {
            ClassLoader own = new URLClassLoader(tools, Tools.class.getClassLoader());
            Thread.currentThread().setContextClassLoader(own);
            Class.forName(tool, true, own).getMethod("main", String[].class).invoke(null, (Object) arguments);
            run.end(0);
        } catch (InvocationTargetException thrown) { // what the JVM does with what main throws
            System.err.print("Exception in thread \"main\" ");
            thrown.getCause().printStackTrace();
            run.end(1);
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException(missing);
        }
    }

    static void exit(int code, String message) {
        RUN.get().end(code);
        while (true) {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException interrupted) {
                // stays
            }
        }
    }

    /** System.out or System.err of every tool: written to the buffer of the one whose thread it is. */
    static class Shared extends OutputStream {
        final OutputStream ofNobody;
        final boolean isOut;

        Shared(OutputStream ofNobody, boolean isOut) {
            this.ofNobody = ofNobody;
            this.isOut = isOut;
        }

        @Override
        public void write(int one) throws java.io.IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws java.io.IOException {
            Run run = RUN.get();
            OutputStream to = run == null ? ofNobody : isOut ? run.out : run.err;
            to.write(bytes, from, length);
        }
    }

    static class SharedInput extends InputStream {
        @Override
        public int read() throws java.io.IOException {
            return RUN.get().in.read();
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws java.io.IOException {
            return RUN.get().in.read(bytes, from, length);
        }

        @Override
        public int available() throws java.io.IOException {
            return RUN.get().in.available();
        }
    }
}
