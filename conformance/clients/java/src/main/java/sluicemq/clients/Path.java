package sluicemq.clients;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in an answer: names of members, indices of lists and keys of maps with points between them. A key that has
 * points itself stands in brackets: Messages.0.MessageAttributes[a.b].StringValue.
 */
final class Path {
    private static final Pattern STEP = Pattern.compile("\\[([^\\]]*)\\]|([^.\\[]+)");

    private Path() {}

    /** Returns null if there is nothing at that place. */
    static Object find(Object tree, String path) {
        Object at = tree;
        Matcher steps = STEP.matcher(path);
        while (at != null && steps.find()) {
            at = step(at, steps.group(1) != null ? steps.group(1) : steps.group(2));
        }
        return at;
    }

    private static Object step(Object at, String name) {
        if (at instanceof Map<?, ?> map) {
            return map.get(name);
        }
        if (at instanceof List<?> list && name.matches("\\d+") && Integer.parseInt(name) < list.size()) {
            return list.get(Integer.parseInt(name));
        }
        return null;
    }
}
