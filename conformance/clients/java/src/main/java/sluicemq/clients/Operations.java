package sluicemq.clients;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.SdkField;
import software.amazon.awssdk.core.SdkPojo;
import software.amazon.awssdk.core.traits.ListTrait;
import software.amazon.awssdk.core.traits.MapTrait;
import software.amazon.awssdk.core.util.SdkAutoConstructList;
import software.amazon.awssdk.core.util.SdkAutoConstructMap;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.SqsException;
import software.amazon.awssdk.utils.builder.Buildable;

/**
 * Calls operations of the SDK by name, with members that are named as in the official model. The SDK's own description
 * of its shapes does the mapping, so that a new member or operation needs nothing here.
 */
final class Operations implements Caller {
    private static final String MODEL = "software.amazon.awssdk.services.sqs.model.";

    private final SqsClient client;

    Operations(SqsClient client) {
        this.client = client;
    }

    @Override
    public Map<String, Object> call(String operation, Map<String, Object> members) throws Exception {
        Class<?> type = Class.forName(MODEL + operation + "Request");
        SdkPojo builder = (SdkPojo) type.getMethod("builder").invoke(null);
        Object request = build(builder, members);
        String method = Character.toLowerCase(operation.charAt(0)) + operation.substring(1);
        try {
            return tree((SdkPojo) SqsClient.class.getMethod(method, type).invoke(client, request));
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @Override
    public Refusal refusal(Exception e) {
        if (!(e instanceof SqsException refused)) {
            return null;
        }
        var details = refused.awsErrorDetails();
        return new Refusal(details.errorCode(), refused.statusCode(), details.errorMessage());
    }

    @Override
    public String wrongClass(Exception e, String error) {
        Class<?> want = exception(error);
        return e.getClass().equals(want)
                ? null
                : "the error is a %s, want %s".formatted(e.getClass().getSimpleName(), error);
    }

    /** The SDK's exception class for a modeled error, or the general one if the model does not have that error. */
    private static Class<?> exception(String error) {
        String name = error.endsWith("Exception") ? error : error + "Exception";
        try {
            return Class.forName(MODEL + name);
        } catch (ClassNotFoundException e) {
            return SqsException.class;
        }
    }

    private static Object build(SdkPojo builder, Map<String, Object> members) {
        for (Map.Entry<String, Object> member : members.entrySet()) {
            SdkField<?> field = field(builder, member.getKey());
            field.set(builder, value(field, member.getValue()));
        }
        return ((Buildable) builder).build();
    }

    private static SdkField<?> field(SdkPojo shape, String name) {
        return shape.sdkFields().stream()
                .filter(f -> f.memberName().equals(name))
                .findFirst()
                .orElseThrow(() -> new Unsendable("the SDK has no member " + name));
    }

    private static Object value(SdkField<?> field, Object v) {
        return switch (field.marshallingType().getTargetClass().getSimpleName()) {
            case "String" -> cast(String.class, field, v);
            case "Integer" -> cast(Integer.class, field, v);
            case "Long" -> Long.valueOf(cast(Integer.class, field, v));
            case "Boolean" -> cast(Boolean.class, field, v);
            case "SdkBytes" -> SdkBytes.fromByteArray(bytes(field, v));
            case "List" -> list(field.getTrait(ListTrait.class).memberFieldInfo(), cast(List.class, field, v));
            case "Map" -> map(field.getTrait(MapTrait.class).valueFieldInfo(), members(field, v));
            case "SdkPojo" -> build(field.constructor().get(), members(field, v));
            default -> throw new IllegalStateException("no rule for the type of " + field.memberName());
        };
    }

    private static <T> T cast(Class<T> type, SdkField<?> field, Object v) {
        if (!type.isInstance(v)) {
            throw new Unsendable("the SDK takes no " + v + " for " + field.memberName());
        }
        return type.cast(v);
    }

    @SuppressWarnings("unchecked") // the keys of a JSON object are strings
    private static Map<String, Object> members(SdkField<?> field, Object v) {
        return cast(Map.class, field, v);
    }

    private static byte[] bytes(SdkField<?> field, Object v) {
        return Base64.getDecoder().decode((String) members(field, v).get("$base64"));
    }

    private static List<Object> list(SdkField<?> item, List<?> values) {
        List<Object> made = new ArrayList<>();
        values.forEach(v -> made.add(value(item, v)));
        return made;
    }

    private static Map<String, Object> map(SdkField<?> item, Map<String, Object> values) {
        Map<String, Object> made = new LinkedHashMap<>();
        values.forEach((key, v) -> made.put(key, value(item, v)));
        return made;
    }

    private static Map<String, Object> tree(SdkPojo shape) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (SdkField<?> field : shape.sdkFields()) {
            Object value = field.getValueOrDefault(shape);
            if (value != null && !(value instanceof SdkAutoConstructList) && !(value instanceof SdkAutoConstructMap)) {
                made.put(field.memberName(), plain(value));
            }
        }
        return made;
    }

    private static Object plain(Object value) {
        if (value instanceof SdkPojo shape) {
            return tree(shape);
        }
        if (value instanceof SdkBytes bytes) {
            return Map.of("$base64", Base64.getEncoder().encodeToString(bytes.asByteArray()));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Operations::plain).toList();
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> made = new LinkedHashMap<>();
            map.forEach((key, v) -> made.put((String) key, plain(v)));
            return made;
        }
        return value instanceof Integer n ? Long.valueOf(n) : value;
    }

    /** A request that this SDK has no way to send. */
    static final class Unsendable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unsendable(String message) {
            super(message);
        }
    }
}
