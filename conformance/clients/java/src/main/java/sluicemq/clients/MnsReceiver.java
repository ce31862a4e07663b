package sluicemq.clients;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An HTTP server that topics push to. It answers with the given statuses and then with 204. */
final class MnsReceiver implements AutoCloseable {
    private static final long PATIENCE = 15; // seconds

    private final HttpServer server;
    private final Queue<String> statuses;
    private final BlockingQueue<Map<String, Object>> pushes = new LinkedBlockingQueue<>();

    MnsReceiver(List<String> statuses) throws IOException {
        this.statuses = new ArrayDeque<>(statuses);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::take);
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Waits for the push that comes next. */
    Map<String, Object> next() throws InterruptedException {
        Map<String, Object> push = pushes.poll(PATIENCE, TimeUnit.SECONDS);
        if (push == null) {
            throw new IllegalStateException("no push came");
        }
        return push;
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void take(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String status = statuses.poll();
        exchange.sendResponseHeaders(status == null ? 204 : Integer.parseInt(status), -1);
        exchange.close();
        Headers headers = exchange.getRequestHeaders();
        Map<String, Object> push = new HashMap<>();
        push.put("Method", exchange.getRequestMethod());
        push.put("Resource", exchange.getRequestURI().toString());
        push.put("Body", body);
        push.put("ContentType", headers.getFirst("Content-Type"));
        push.put("MessageId", headers.getFirst("x-mns-message-id"));
        push.put("MessageTag", headers.getFirst("x-mns-message-tag"));
        push.put("TopicName", headers.getFirst("x-mns-topic-name"));
        push.put("SubscriptionName", headers.getFirst("x-mns-subscription-name"));
        push.put("Signature", signature(exchange));
        pushes.add(push);
    }

    /** Whether a push is signed as the provider's reference says. The SDK has no code for it. */
    private static String signature(HttpExchange exchange) {
        Headers headers = exchange.getRequestHeaders();
        Map<String, String> own = new TreeMap<>();
        headers.forEach((name, values) -> own.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        StringBuilder lines = new StringBuilder();
        own.forEach((name, value) -> lines.append(name.startsWith("x-mns-") ? name + ":" + value + "\n" : ""));
        String text = exchange.getRequestMethod() + "\n" + own.get("content-md5") + "\n" + own.get("content-type") + "\n"
                + own.get("date") + "\n" + lines + exchange.getRequestURI();
        try {
            Signature verifier = Signature.getInstance("SHA1withRSA");
            verifier.initVerify(certificate(own.get("x-mns-signing-cert-url")));
            verifier.update(text.getBytes(StandardCharsets.UTF_8));
            return verifier.verify(Base64.getDecoder().decode(own.get("authorization"))) ? "good" : "bad";
        } catch (GeneralSecurityException | IOException e) {
            return e.toString();
        }
    }

    private static Certificate certificate(String url) throws GeneralSecurityException, IOException {
        String address = new String(Base64.getDecoder().decode(url), StandardCharsets.UTF_8);
        try (InputStream in = URI.create(address).toURL().openStream()) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }
}
