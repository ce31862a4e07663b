package sluicemq.clients;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import software.amazon.awssdk.services.sqs.SqsClient;

/** Runs the shared scenarios with the AWS SDK for Java 2, which speaks JSON. The argument is the list's file. */
public final class Scenarios {
    private static final String PROTOCOL = "json";
    private static final int AT_ONCE = 16;

    private final Map<String, String> leftOutOf;
    private int passed;
    private int failed;
    private int leftOut;

    /** A shared file. */
    record Listing(Map<String, Map<String, String>> keys, List<Scenario> scenarios) {}

    private Scenarios(Map<String, String> leftOutOf) {
        this.leftOutOf = leftOutOf;
    }

    /** Ends with status 1 if a scenario failed, was forgotten, or is left out under a name that is not in the list. */
    public static void main(String[] args) throws Exception {
        try (SqsClient client = Target.sqs()) {
            play(read(args[0]), Map.of(), () -> new Operations(client)); // nothing that this SDK cannot send
        }
    }

    static Listing read(String file) throws IOException {
        ObjectMapper json = new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        return json.readValue(new File(file), Listing.class);
    }

    /** Plays all scenarios but those that an SDK cannot send, which are given with the reason, each with a new caller. */
    static void play(Listing list, Map<String, String> leftOutOf, Supplier<Caller> callers) throws InterruptedException {
        List<Scenario> all = list.scenarios();
        Scenarios run = new Scenarios(leftOutOf);
        run.all(all, callers);
        System.out.printf("%d passed, %d failed%n", run.passed, run.failed);
        boolean complete = run.passed + run.leftOut == all.size() && run.passed > 0;
        boolean known = all.stream().map(Scenario::name).toList().containsAll(leftOutOf.keySet());
        if (!complete || !known) {
            System.exit(1);
        }
    }

    private void all(List<Scenario> scenarios, Supplier<Caller> callers) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
        try {
            Map<Scenario, Future<String>> results = new LinkedHashMap<>();
            for (Scenario s : scenarios) {
                if (whyNot(s) == null) {
                    results.put(s, pool.submit(() -> run(s, callers)));
                }
            }
            for (Scenario s : scenarios) {
                report(s, results.get(s));
            }
        } finally {
            pool.shutdown();
        }
    }

    private static String run(Scenario s, Supplier<Caller> callers) {
        try (Caller caller = callers.get()) {
            return s.run(caller);
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

    private String whyNot(Scenario s) {
        if (s.protocols() != null && !s.protocols().contains(PROTOCOL)) {
            return "the SDK has no other protocol than " + PROTOCOL;
        }
        return leftOutOf.get(s.name());
    }
}
