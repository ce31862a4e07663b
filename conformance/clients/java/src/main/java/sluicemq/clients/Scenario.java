package sluicemq.clients;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One scenario of a shared list: what to call, and what has to come back. */
record Scenario(String name, String about, List<String> protocols, List<Step> steps) {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)\\}");

    record Step(
            String call,
            String as,
            Map<String, Object> with,
            Map<String, String> save,
            Map<String, Object> expect,
            Map<String, Integer> count,
            List<String> absent,
            Map<String, String> same,
            Map<String, String> differs,
            Map<String, String> matches,
            Failure fails) {}

    record Failure(String error, String code, Integer status, String message) {}

    /** Returns what went wrong, or null. */
    String run(Caller caller) {
        Map<String, String> variables = new HashMap<>();
        variables.put("unique", UUID.randomUUID().toString());
        variables.put("kilobyte", "a".repeat(1 << 10));
        variables.put("megabyte", "a".repeat(1 << 20));
        for (int i = 0; i < steps.size(); i++) {
            String wrong = run(caller, steps.get(i), variables);
            if (wrong != null) {
                return "step %d, %s: %s".formatted(i + 1, steps.get(i).call, wrong);
            }
        }
        return null;
    }

    private static String run(Caller caller, Step step, Map<String, String> variables) {
        Map<String, Object> answer;
        try {
            Object with = step.with == null ? Map.of() : filled(step.with, variables);
            answer = caller.as(step.as).call(step.call, members(with));
        } catch (Exception e) {
            Caller.Refusal refusal = caller.refusal(e);
            if (step.fails == null || refusal == null) {
                return e.toString();
            }
            String wrong = step.fails.error == null ? null : caller.wrongClass(e, step.fails.error);
            return wrong != null ? wrong : wrongFailure(step.fails, refusal, variables);
        }
        if (step.fails != null) {
            return "succeeded with " + answer;
        }
        String wrong = wrongAnswer(step, answer, variables);
        return wrong != null ? wrong : save(step, answer, variables);
    }

    private static String wrongFailure(Failure want, Caller.Refusal got, Map<String, String> variables) {
        if (want.code != null && !want.code.equals(got.code())) {
            return "the code is %s, want %s".formatted(got.code(), want.code);
        }
        if (want.status != null && !want.status.equals(got.status())) {
            return "the status is %d, want %d".formatted(got.status(), want.status);
        }
        Object message = filled(want.message, variables);
        if (message != null && !message.equals(got.message())) {
            return "the message is %s, want %s".formatted(got.message(), message);
        }
        return null;
    }

    private static String wrongAnswer(Step step, Map<String, Object> answer, Map<String, String> variables) {
        for (var e : entries(step.expect)) {
            Object got = Path.find(answer, e.getKey());
            Object want = filled(e.getValue(), variables);
            if (!equal(got, want)) {
                return "%s is %s, want %s".formatted(e.getKey(), got, want);
            }
        }
        for (var e : entries(step.count)) {
            int got = size(Path.find(answer, e.getKey()));
            if (got != e.getValue()) {
                return "%s has %d entries, want %d".formatted(e.getKey(), got, e.getValue());
            }
        }
        for (String path : step.absent == null ? List.<String>of() : step.absent) {
            Object got = Path.find(answer, path);
            if (got != null) {
                return "%s is %s, want nothing".formatted(path, got);
            }
        }
        return wrongIdentity(step, answer, variables);
    }

    private static String wrongIdentity(Step step, Map<String, Object> answer, Map<String, String> variables) {
        for (var e : entries(step.same)) {
            Object got = Path.find(answer, e.getKey());
            if (!equal(got, filled(e.getValue(), variables))) {
                return "%s is %s, want that of %s".formatted(e.getKey(), got, e.getValue());
            }
        }
        for (var e : entries(step.differs)) {
            Object got = Path.find(answer, e.getKey());
            if (got == null || equal(got, filled(e.getValue(), variables))) {
                return "%s is %s, want another than %s".formatted(e.getKey(), got, e.getValue());
            }
        }
        for (var e : entries(step.matches)) {
            Object got = Path.find(answer, e.getKey());
            String pattern = (String) filled(e.getValue(), variables);
            if (got == null || !Pattern.compile(pattern).matcher(got.toString()).find()) {
                return "%s is %s, want %s".formatted(e.getKey(), got, pattern);
            }
        }
        return null;
    }

    private static String save(Step step, Map<String, Object> answer, Map<String, String> variables) {
        for (var e : entries(step.save)) {
            Object got = Path.find(answer, e.getValue());
            if (got == null) {
                return e.getValue() + " is missing";
            }
            variables.put(e.getKey(), got.toString());
        }
        return null;
    }

    private static <T> Iterable<Map.Entry<String, T>> entries(Map<String, T> map) {
        return map == null ? List.of() : map.entrySet();
    }

    private static int size(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.size();
        }
        return value instanceof List<?> list ? list.size() : 0;
    }

    private static boolean equal(Object got, Object want) {
        return Objects.equals(got, want instanceof Integer n ? Long.valueOf(n) : want);
    }

    @SuppressWarnings("unchecked") // filled keeps the keys, which are strings
    private static Map<String, Object> members(Object with) {
        return (Map<String, Object>) with;
    }

    /** Puts the variables into all strings of a value, keys included. */
    private static Object filled(Object value, Map<String, String> variables) {
        if (value instanceof String s) {
            return VARIABLE.matcher(s).replaceAll(m -> Matcher.quoteReplacement(variable(m.group(1), variables)));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(v -> filled(v, variables)).toList();
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> made = new LinkedHashMap<>();
            map.forEach((key, v) -> made.put((String) filled(key, variables), filled(v, variables)));
            return made;
        }
        return value;
    }

    private static String variable(String name, Map<String, String> variables) {
        String value = variables.get(name);
        if (value == null) {
            throw new IllegalStateException("nothing was saved as " + name);
        }
        return value;
    }
}
