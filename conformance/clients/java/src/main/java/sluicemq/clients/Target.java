package sluicemq.clients;

import java.net.URI;
import java.util.List;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.sqs.SqsClient;

/** The server under test, which the variable SLUICE_URL names. */
public final class Target {
    private Target() {}

    /** The address of the server, such as http://127.0.0.1:9324. */
    public static String url() {
        String url = System.getenv("SLUICE_URL");
        if (url == null || url.isEmpty()) {
            throw new IllegalStateException("SLUICE_URL is not set: want the address of a running server");
        }
        return url;
    }

    /** A client of SQS. It never tries again: an error that a second try would hide is an error. */
    public static SqsClient sqs(ExecutionInterceptor... interceptors) {
        return SqsClient.builder()
                .endpointOverride(URI.create(url()))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("any", "any")))
                .overrideConfiguration(o -> o.retryStrategy(DefaultRetryStrategy.doNotRetry())
                        .executionInterceptors(List.of(interceptors)))
                .build();
    }
}
