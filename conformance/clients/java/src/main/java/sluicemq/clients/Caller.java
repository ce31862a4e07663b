package sluicemq.clients;

import java.util.Map;

/** How the calls of one scenario are made with an SDK, and what the SDK makes of refusals. */
public interface Caller extends AutoCloseable {
    /** Returns the answer as maps, lists, strings, numbers and booleans; what the answer does not have is left out. */
    Map<String, Object> call(String operation, Map<String, Object> members) throws Exception;

    /** Returns how calls are made with one of the keys of the list; null is the usual one. */
    default Caller as(String key) {
        if (key != null) {
            throw new IllegalArgumentException("there are no keys");
        }
        return this;
    }

    /** Returns what the service has said, or null if the exception is about something else. */
    Refusal refusal(Exception e);

    /** Returns null if the exception has the class that the SDK has for an error of that name, or what is wrong. */
    default String wrongClass(Exception e, String error) {
        return "the SDK has no classes of errors";
    }

    @Override
    default void close() {}

    /** An error of the service. */
    record Refusal(String code, Integer status, String message) {}
}
