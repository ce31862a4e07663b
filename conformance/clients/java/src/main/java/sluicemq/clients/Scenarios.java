package sluicemq.clients;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import software.amazon.awssdk.services.sqs.SqsClient;

/** Runs the shared scenarios with the AWS SDK for Java 2, which speaks JSON. The argument is the list's file. */
public final class Scenarios {
    private static final String PROTOCOL = "json";
    private static final int AT_ONCE = 16;

    /** Scenarios that this SDK cannot send, each with the reason. */
    private static final Map<String, String> LEFT_OUT = Map.of();

    private int passed;
    private int failed;
    private int leftOut;

    /** The shared file. */
    record Listing(List<Scenario> scenarios) {}

    private Scenarios() {}

    /** Ends with status 1 if a scenario failed, was forgotten, or is left out under a name that is not in the list. */
    public static void main(String[] args) throws Exception {
        List<Scenario> all = new ObjectMapper().readValue(new File(args[0]), Listing.class).scenarios();
        Scenarios run = new Scenarios();
        run.all(all);
        System.out.printf("%d passed, %d failed%n", run.passed, run.failed);
        boolean complete = run.passed + run.leftOut == all.size() && run.passed > 0;
        boolean known = all.stream().map(Scenario::name).toList().containsAll(LEFT_OUT.keySet());
        if (!complete || !known) {
            System.exit(1);
        }
    }

    private void all(List<Scenario> scenarios) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
        try (SqsClient client = Target.sqs()) {
            Operations operations = new Operations(client);
            Map<Scenario, Future<String>> results = new LinkedHashMap<>();
            for (Scenario s : scenarios) {
                if (whyNot(s) == null) {
                    results.put(s, pool.submit(() -> s.run(operations)));
                }
            }
            for (Scenario s : scenarios) {
                report(s, results.get(s));
            }
        } finally {
            pool.shutdown();
        }
    }

    private void report(Scenario s, Future<String> result) throws InterruptedException {
        if (result == null) {
            leftOut++;
            System.out.printf("left out %s: %s%n", s.name(), whyNot(s));
            return;
        }
        String wrong = outcome(result);
        if (wrong == null) {
            passed++;
            System.out.printf("ok %s%n", s.name());
        } else {
            failed++;
            System.out.printf("FAILED %s: %s%n", s.name(), wrong);
        }
    }

    private static String outcome(Future<String> result) throws InterruptedException {
        try {
            return result.get();
        } catch (ExecutionException e) { // the scenario itself is wrong
            return e.getCause().toString();
        }
    }

    private static String whyNot(Scenario s) {
        if (s.protocols() != null && !s.protocols().contains(PROTOCOL)) {
            return "the SDK has no other protocol than " + PROTOCOL;
        }
        return LEFT_OUT.get(s.name());
    }
}
