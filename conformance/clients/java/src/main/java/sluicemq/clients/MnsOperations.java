package sluicemq.clients;

import com.aliyun.mns.client.CloudQueue;
import com.aliyun.mns.client.CloudTopic;
import com.aliyun.mns.client.MNSClient;
import com.aliyun.mns.common.BatchDeleteException;
import com.aliyun.mns.common.ServiceException;
import com.aliyun.mns.common.ServiceHandlingRequiredException;
import com.aliyun.mns.model.AccountAttributes;
import com.aliyun.mns.model.BaseMessage;
import com.aliyun.mns.model.ErrorMessageResult;
import com.aliyun.mns.model.Message;
import com.aliyun.mns.model.MessagePropertyValue;
import com.aliyun.mns.model.MessageSystemPropertyName;
import com.aliyun.mns.model.MessageSystemPropertyValue;
import com.aliyun.mns.model.PagingListResult;
import com.aliyun.mns.model.PropertyType;
import com.aliyun.mns.model.QueueMeta;
import com.aliyun.mns.model.RawTopicMessage;
import com.aliyun.mns.model.SubscriptionMeta;
import com.aliyun.mns.model.SystemPropertyType;
import com.aliyun.mns.model.TopicMeta;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The operations of MNS by name, in terms of its SDK. Members and answers are texts under the names of elements. */
final class MnsOperations implements Caller {
    private final Map<String, MNSClient> clients;
    private MnsReceiver receiver;

    MnsOperations(Map<String, MNSClient> clients) {
        this.clients = clients;
    }

    @Override
    public Caller as(String key) {
        return key == null ? this : new MnsOperations(Map.of("permanent", clients.get(key)));
    }

    @Override
    public Refusal refusal(Exception e) {
        if (e instanceof Empty) {
            return new Refusal("MessageNotExist", null, "Message not exist.");
        }
        if (e instanceof ServiceHandlingRequiredException refused) { // what a program may retry
            return new Refusal(refused.getErrorCode(), null, refused.getMessage());
        }
        return e instanceof ServiceException refused ? new Refusal(refused.getErrorCode(), null, refused.getMessage()) : null;
    }

    @Override
    public void close() {
        if (receiver != null) {
            receiver.close();
        }
    }

    @Override
    public Map<String, Object> call(String operation, Map<String, Object> members) throws Exception {
        Arguments a = new Arguments(members);
        MNSClient client = clients.get("permanent");
        return switch (operation) {
            case "Listen" -> listen(a);
            case "NextPush" -> receiver.next();
            case "ListQueue" -> listed("Queues", client.listQueueURL(a.text("Prefix"), a.text("Marker"), a.number("Number")));
            case "ListTopic" -> listed("Topics", client.listTopicURL(a.text("Prefix"), a.text("Marker"), a.number("Number")));
            case "SetAccountAttributes" -> {
                AccountAttributes account = new AccountAttributes();
                account.setLoggingBucket(a.text("LoggingBucket"));
                client.setAccountAttributes(account);
                yield Map.of();
            }
            case "GetAccountAttributes" -> texts("LoggingBucket", client.getAccountAttributes().getLoggingBucket());
            case "OpenService" -> texts("OrderId", client.openService().getOrderId());
            default -> a.has("Topic")
                    ? onTopic(operation, client.getTopicRef(a.text("Topic")), a)
                    : onQueue(operation, client.getQueueRef(a.text("Queue")), a);
        };
    }

    private Map<String, Object> listen(Arguments a) throws Exception {
        receiver = new MnsReceiver(a.has("Statuses") ? a.texts("Statuses") : List.of());
        return texts("Endpoint", receiver.endpoint());
    }

    private static Map<String, Object> onQueue(String operation, CloudQueue queue, Arguments a) throws Exception {
        switch (operation) {
            case "CreateQueue":
                return texts("Location", queue.create(queueMeta(a)));
            case "SetQueueAttributes":
                queue.setAttributes(queueMeta(a));
                return Map.of();
            case "GetQueueAttributes":
                return shown(queue.getAttributes());
            case "DeleteQueue":
                queue.delete();
                return Map.of();
            default:
                return onMessages(operation, queue, a);
        }
    }

    private static Map<String, Object> onMessages(String operation, CloudQueue queue, Arguments a) throws Exception {
        switch (operation) {
            case "SendMessage":
                return sent(queue.putMessage(message(a)));
            case "BatchSendMessage":
                List<Message> messages = a.entries("Messages").stream().map(MnsOperations::message).toList();
                return Map.of("Messages", queue.batchPutMessage(messages).stream().map(MnsOperations::sent).toList());
            case "ReceiveMessage":
                return received(a.has("WaitSeconds") ? queue.popMessage(a.number("WaitSeconds")) : queue.popMessage());
            case "BatchReceiveMessage":
                int most = a.number("NumOfMessages");
                return received(a.has("WaitSeconds") ? queue.batchPopMessage(most, a.number("WaitSeconds")) : queue.batchPopMessage(most));
            case "PeekMessage":
                return received(queue.peekMessage());
            case "BatchPeekMessage":
                return received(queue.batchPeekMessage(a.number("NumOfMessages")));
            case "DeleteMessage":
                queue.deleteMessage(a.text("ReceiptHandle"));
                return Map.of();
            case "BatchDeleteMessage":
                return deleted(queue, a.texts("ReceiptHandles"));
            case "ChangeMessageVisibility":
                Message changed = queue.changeMessageVisibility(a.text("ReceiptHandle"), a.number("VisibilityTimeout"));
                return texts("ReceiptHandle", changed.getReceiptHandle(), "NextVisibleTime", millis(changed.getNextVisibleTime()));
            default:
                throw new IllegalArgumentException("no rule for " + operation);
        }
    }

    private static Map<String, Object> onTopic(String operation, CloudTopic topic, Arguments a) throws Exception {
        switch (operation) {
            case "CreateTopic":
                return texts("Location", topic.create(topicMeta(a)));
            case "SetTopicAttributes":
                topic.setAttribute(topicMeta(a));
                return Map.of();
            case "GetTopicAttributes":
                return shown(topic.getAttribute());
            case "DeleteTopic":
                topic.delete();
                return Map.of();
            case "PublishMessage":
                RawTopicMessage message = new RawTopicMessage();
                message.setMessageBody(a.text("MessageBody"));
                a.ifText("MessageTag", message::setMessageTag);
                setProperties(message, a);
                return sent(topic.publishMessage(message));
            default:
                return onSubscriptions(operation, topic, a);
        }
    }

    private static Map<String, Object> onSubscriptions(String operation, CloudTopic topic, Arguments a) throws Exception {
        switch (operation) {
            case "Subscribe":
                return texts("Location", topic.subscribe(subscriptionMeta(a)));
            case "SetSubscriptionAttributes":
                topic.setSubscriptionAttr(subscriptionMeta(a));
                return Map.of();
            case "GetSubscriptionAttributes":
                return shown(topic.getSubscriptionAttr(a.text("Subscription")));
            case "Unsubscribe":
                topic.unsubscribe(a.text("Subscription"));
                return Map.of();
            case "ListSubscriptionByTopic":
                return listed("Subscriptions", topic.listSubscriptionUrls(null, null, null));
            default:
                throw new IllegalArgumentException("no rule for " + operation);
        }
    }

    private static QueueMeta queueMeta(Arguments a) {
        QueueMeta m = new QueueMeta();
        m.setQueueName(a.text("Queue"));
        a.ifText("DelaySeconds", v -> m.setDelaySeconds(Long.valueOf(v)));
        a.ifText("MaximumMessageSize", v -> m.setMaxMessageSize(Long.valueOf(v)));
        a.ifText("MessageRetentionPeriod", v -> m.setMessageRetentionPeriod(Long.valueOf(v)));
        a.ifText("VisibilityTimeout", v -> m.setVisibilityTimeout(Long.valueOf(v)));
        a.ifText("PollingWaitSeconds", v -> m.setPollingWaitSeconds(Integer.valueOf(v)));
        a.ifText("LoggingEnabled", v -> m.setLoggingEnabled(Boolean.parseBoolean(v)));
        return m;
    }

    private static Map<String, Object> shown(QueueMeta m) {
        Map<String, Object> shown = texts(
                "QueueName", m.getQueueName(), "DelaySeconds", m.getDelaySeconds(), "MaximumMessageSize", m.getMaxMessageSize(),
                "MessageRetentionPeriod", m.getMessageRetentionPeriod(), "VisibilityTimeout", m.getVisibilityTimeout(),
                "PollingWaitSeconds", m.getPollingWaitSeconds(), "LoggingEnabled", flag(m.isLoggingEnabled()));
        shown.putAll(texts(
                "ActiveMessages", m.getActiveMessages(), "InactiveMessages", m.getInactiveMessages(),
                "DelayMessages", m.getDelayMessages(), "CreateTime", m.getCreateTime().getTime() / 1000,
                "LastModifyTime", m.getLastModifyTime().getTime() / 1000));
        return shown;
    }

    private static TopicMeta topicMeta(Arguments a) {
        TopicMeta m = new TopicMeta();
        m.setTopicName(a.text("Topic"));
        a.ifText("MaximumMessageSize", v -> m.setMaxMessageSize(Long.valueOf(v)));
        return m;
    }

    private static Map<String, Object> shown(TopicMeta m) {
        return texts(
                "TopicName", m.getTopicName(), "MaximumMessageSize", m.getMaxMessageSize(), "MessageCount", m.getMessageCount(),
                "MessageRetentionPeriod", m.getMessageRetentionPeriod(), "LoggingEnabled", flag(m.isLoggingEnabled()),
                "CreateTime", m.getCreateTime());
    }

    private static SubscriptionMeta subscriptionMeta(Arguments a) {
        SubscriptionMeta m = new SubscriptionMeta();
        m.setSubscriptionName(a.text("Subscription"));
        a.ifText("Endpoint", m::setEndpoint);
        a.ifText("FilterTag", m::setFilterTag);
        a.ifText("NotifyStrategy", v -> m.setNotifyStrategy(SubscriptionMeta.NotifyStrategy.valueOf(v)));
        a.ifText("NotifyContentFormat", v -> m.setNotifyContentFormat(SubscriptionMeta.NotifyContentFormat.valueOf(v)));
        return m;
    }

    private static Map<String, Object> shown(SubscriptionMeta m) {
        return texts(
                "TopicOwner", m.getTopicOwner(), "TopicName", m.getTopicName(), "SubscriptionName", m.getSubscriptionName(),
                "Endpoint", m.getEndpoint(), "FilterTag", m.getFilterTag(), "NotifyStrategy", m.getNotifyStrategy(),
                "NotifyContentFormat", m.getNotifyContentFormat(), "CreateTime", m.getCreateTime(),
                "LastModifyTime", m.getLastModifyTime());
    }

    /** The SDK would send base64, which the others do not expect. */
    private static Message message(Arguments a) {
        Message m = new Message();
        m.setMessageBodyAsRawString(a.text("MessageBody"));
        a.ifText("DelaySeconds", v -> m.setDelaySeconds(Integer.parseInt(v)));
        a.ifText("Priority", v -> m.setPriority(Integer.parseInt(v)));
        a.ifText("MessageGroupId", m::setMessageGroupId);
        setProperties(m, a);
        return m;
    }

    private static void setProperties(BaseMessage m, Arguments a) {
        Map<String, MessagePropertyValue> user = new HashMap<>();
        a.object("UserProperties").forEach((name, value) -> {
            Arguments v = new Arguments(Arguments.members(value));
            PropertyType type = PropertyType.valueOf(v.text("Type"));
            user.put(name, type == PropertyType.BINARY
                    ? new MessagePropertyValue(Base64.getDecoder().decode(v.text("Value")))
                    : new MessagePropertyValue(type, v.text("Value")));
        });
        if (!user.isEmpty()) {
            m.setUserProperties(user);
        }
        a.object("SystemProperties").forEach((name, value) -> m.putSystemProperty(
                MessageSystemPropertyName.getByValue(name), new MessageSystemPropertyValue(SystemPropertyType.STRING, (String) value)));
    }

    private static Map<String, Object> sent(BaseMessage m) {
        String handle = m instanceof Message message ? message.getReceiptHandle() : null;
        return texts("MessageId", m.getMessageId(), "MessageBodyMD5", m.getMessageBodyMD5(), "ReceiptHandle", handle);
    }

    private static Map<String, Object> received(List<Message> messages) throws Empty {
        if (messages == null) {
            throw new Empty();
        }
        List<Object> all = new ArrayList<>();
        for (Message m : messages) {
            all.add(received(m));
        }
        return Map.of("Messages", all);
    }

    private static Map<String, Object> received(Message m) throws Empty {
        if (m == null) {
            throw new Empty();
        }
        Map<String, Object> all = sent(m);
        all.putAll(texts(
                "MessageBody", m.getMessageBodyAsRawString(), "DequeueCount", m.getDequeueCount(), "Priority", m.getPriority(),
                "MessageGroupId", m.getMessageGroupId(), "EnqueueTime", millis(m.getEnqueueTime()),
                "FirstDequeueTime", millis(m.getFirstDequeueTime()), "NextVisibleTime", millis(m.getNextVisibleTime())));
        Map<String, Object> user = new HashMap<>();
        if (m.getUserProperties() != null) {
            m.getUserProperties().forEach((name, v) -> user.put(name, texts("Type", v.getDataType(), "Value", value(v))));
        }
        Map<String, Object> system = new HashMap<>();
        if (m.getSystemProperties() != null) {
            m.getSystemProperties().forEach((name, v) -> system.put(name, v.getStringValueByType()));
        }
        all.put("UserProperties", user);
        all.put("SystemProperties", system);
        return all;
    }

    private static String value(MessagePropertyValue v) {
        boolean binary = v.getDataType() == PropertyType.BINARY;
        return binary ? Base64.getEncoder().encodeToString(v.getBinaryValue()) : v.getStringValue();
    }

    /** What failed is the cause of the exception. */
    private static Map<String, Object> deleted(CloudQueue queue, List<String> handles) throws Exception {
        try {
            queue.batchDeleteMessage(handles);
            return Map.of();
        } catch (ServiceHandlingRequiredException e) {
            if (!(e.getCause() instanceof BatchDeleteException failed)) {
                throw e;
            }
            List<Object> errors = new ArrayList<>();
            failed.getErrorMessages().forEach((handle, error) -> errors.add(failure(handle, error)));
            return Map.of("Errors", errors);
        }
    }

    private static Map<String, Object> failure(String handle, ErrorMessageResult e) {
        return texts("ReceiptHandle", handle, "ErrorCode", e.getErrorCode(), "ErrorMessage", e.getErrorMessage());
    }

    /** The SDK has null for a list without entries. */
    private static Map<String, Object> listed(String kind, PagingListResult<String> page) {
        if (page == null || page.getResult() == null) {
            return Map.of();
        }
        Map<String, Object> listed = texts("NextMarker", page.getMarker());
        listed.put(kind, page.getResult().stream().map(url -> url.substring(url.lastIndexOf('/') + 1)).toList());
        return listed;
    }

    private static String flag(boolean on) {
        return on ? "True" : "False";
    }

    private static Long millis(Date d) {
        return d == null ? null : d.getTime();
    }

    /** Names and values in turn; what is null is left out. */
    private static Map<String, Object> texts(Object... pairs) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i + 1] != null) {
                made.put((String) pairs[i], pairs[i + 1].toString());
            }
        }
        return made;
    }

    /** The members of a call. */
    private record Arguments(Map<String, Object> members) {
        boolean has(String name) {
            return members.containsKey(name);
        }

        String text(String name) {
            return (String) members.get(name);
        }

        int number(String name) {
            return Integer.parseInt(text(name));
        }

        void ifText(String name, Consumer<String> use) {
            if (has(name)) {
                use.accept(text(name));
            }
        }

        List<String> texts(String name) {
            return ((List<?>) members.get(name)).stream().map(String.class::cast).toList();
        }

        List<Arguments> entries(String name) {
            return ((List<?>) members.get(name)).stream().map(v -> new Arguments(members(v))).toList();
        }

        Map<String, Object> object(String name) {
            return has(name) ? members(members.get(name)) : Map.of();
        }

        @SuppressWarnings("unchecked") // the keys of a JSON object are strings
        static Map<String, Object> members(Object value) {
            return (Map<String, Object>) value;
        }
    }

    /** The SDK has null for a receive without a message. */
    private static final class Empty extends Exception {
        private static final long serialVersionUID = 1;
    }
}
