import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;

/** Reads worlds of ACLs and questions as JSON, and prints the decisions about each world: a digit each. */
public class Decisions {
    record Context(KafkaPrincipal principal, InetAddress clientAddress) implements AuthorizableRequestContext {
        public String listenerName() { return "PLAINTEXT"; }
        public SecurityProtocol securityProtocol() { return SecurityProtocol.PLAINTEXT; }
        public int requestType() { return 0; }
        public int requestVersion() { return 0; }
        public String clientId() { return ""; }
        public int correlationId() { return 0; }
    }

    public static void main(String[] arguments) throws Exception {
        JsonNode worlds = new ObjectMapper().readTree(System.in);
        for (JsonNode world : worlds) System.out.println("\"" + decisions(world) + "\"");
    }

    static String decisions(JsonNode world) throws Exception {
        Map<String, Object> settings = new HashMap<>();
        settings.put("super.users", world.get("super_users").asText());
        settings.put("allow.everyone.if.no.acl.found", world.get("allow_without_acl").asText());
        try (StandardAuthorizer authorizer = new StandardAuthorizer()) {
            authorizer.configure(settings);
            authorizer.withPluginMetrics(new PluginMetricsImpl(new Metrics(), Map.of()));
            long number = 0;
            for (JsonNode acl : world.get("acls")) {
                authorizer.addAcl(new Uuid(1, ++number), new StandardAcl(
                    ResourceType.fromCode((byte) acl.get(0).asInt()), acl.get(1).asText(),
                    PatternType.fromCode((byte) acl.get(2).asInt()), acl.get(3).asText(), acl.get(4).asText(),
                    AclOperation.fromCode((byte) acl.get(5).asInt()),
                    AclPermissionType.fromCode((byte) acl.get(6).asInt())));
            }
            authorizer.completeInitialLoad();
            StringBuilder found = new StringBuilder();
            for (JsonNode asked : world.get("asked")) found.append(allowed(authorizer, asked) ? '1' : '0');
            return found.toString();
        }
    }

    static boolean allowed(StandardAuthorizer authorizer, JsonNode asked) throws Exception {
        Context context = new Context(
            principal(asked.get(0).asText()), InetAddress.getByName(asked.get(1).asText()));
        AclOperation operation = AclOperation.fromCode((byte) asked.get(2).asInt());
        ResourceType type = ResourceType.fromCode((byte) asked.get(3).asInt());
        if (asked.get(4).isNull())
            return authorizer.authorizeByResourceType(context, operation, type) == AuthorizationResult.ALLOWED;
        ResourcePattern resource = new ResourcePattern(type, asked.get(4).asText(), PatternType.LITERAL);
        Action action = new Action(operation, resource, 1, false, false);
        return authorizer.authorize(context, List.of(action)).get(0) == AuthorizationResult.ALLOWED;
    }

    /** SecurityUtils.parseKafkaPrincipal, which is in another package since 4.4. */
    static KafkaPrincipal principal(String text) {
        String[] parts = text.split(":", 2);
        return new KafkaPrincipal(parts[0], parts[1]);
    }
}
