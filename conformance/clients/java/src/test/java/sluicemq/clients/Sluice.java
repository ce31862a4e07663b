package sluicemq.clients;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;

/**
 * A JUnit extension for tests of programs that work with queues. It starts a server for a class of tests, from the
 * program that SLUICE_BINARY names or the one called sluice:
 *
 * <pre>
 * &#64;RegisterExtension
 * static final Sluice sluice = new Sluice();
 * </pre>
 *
 * Each client has an account of its own, so that tests do not see each other's queues.
 */
public final class Sluice implements BeforeAllCallback, AfterAllCallback {
    private final HttpClient http = HttpClient.newHttpClient();
    private Process process;
    private String url;
    private String admin;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        String program = System.getenv().getOrDefault("SLUICE_BINARY", "sluice");
        process = new ProcessBuilder(program, "serve", "--data", "memory", "--account-per-key",
                        "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out = process.inputReader();
        url = address(out.readLine());
        admin = address(out.readLine());
    }

    private static String address(String line) {
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        process.destroy();
        process.waitFor();
    }

    /** A client of SQS with an account of its own. */
    public SqsClient sqs() {
        String key = "SLUICE" + UUID.randomUUID();
        return SqsClient.builder()
                .endpointOverride(URI.create(url))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(key, "any")))
                .build();
    }

    /** Moves the time of the server forward. */
    public void advance(int seconds) throws IOException, InterruptedException {
        call("POST", "/api/v1/clock/advance", "{\"by\":" + seconds + "}");
    }

    /** Makes something go wrong, such as fault("busy", "{\"kind\":\"throttle\",\"count\":2}"). */
    public void fault(String name, String rule) throws IOException, InterruptedException {
        call("PUT", "/api/v1/faults/" + name, rule);
    }

    /** Calls the control API. */
    public String call(String method, String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(admin + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IOException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }
}
