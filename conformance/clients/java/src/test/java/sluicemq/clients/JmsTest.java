package sluicemq.clients;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.amazon.sqs.javamessaging.ProviderConfiguration;
import com.amazon.sqs.javamessaging.SQSConnection;
import com.amazon.sqs.javamessaging.SQSConnectionFactory;
import com.amazon.sqs.javamessaging.SQSMessagingClientConstants;
import com.amazon.sqs.javamessaging.SQSSession;
import jakarta.jms.BytesMessage;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;

/** The JMS library for SQS, as it is published: what programs that only know JMS rely on. */
class JmsTest {
    private static final SqsClient SQS = Target.sqs();

    /** Long enough for a busy machine; a message that is there ends the wait at once. */
    private static final long WAIT = 10_000;

    /** What a test opened, the newest first. */
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final String queue = "jms-" + UUID.randomUUID();
    private String url;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable r : resources) {
            r.close();
        }
    }

    @AfterAll
    static void end() {
        SQS.close();
    }

    @Test
    void textMessageArrivesWithItsProperties() throws JMSException {
        create(queue);
        Session session = session(Session.AUTO_ACKNOWLEDGE);
        TextMessage sent = session.createTextMessage("grüße <&>");
        sent.setStringProperty("text", "a");
        sent.setIntProperty("number", 7);
        sent.setBooleanProperty("flag", true);
        sent.setJMSCorrelationID("correlation");
        sent.setJMSReplyTo(session.createQueue(queue));
        send(session, sent);

        TextMessage got = receive(session, "grüße <&>");
        assertEquals(sent.getJMSMessageID(), got.getJMSMessageID());
        assertEquals("a", got.getStringProperty("text"));
        assertEquals(7, got.getIntProperty("number"));
        assertTrue(got.getBooleanProperty("flag"));
        assertEquals("correlation", got.getJMSCorrelationID());
        assertEquals(queue, ((Queue) got.getJMSReplyTo()).getQueueName());
        assertEquals(1, got.getIntProperty("JMSXDeliveryCount"));
        assertFalse(got.getJMSRedelivered());
        assertEquals(System.currentTimeMillis(), got.getJMSTimestamp(), 60_000.0);
        assertCounts(0, 0);
    }

    @Test
    void bytesAndObjectsArriveAsTheyWere() throws JMSException {
        create(queue);
        Session session = session(Session.AUTO_ACKNOWLEDGE);
        byte[] bytes = {0, 1, -1};
        BytesMessage sent = session.createBytesMessage();
        sent.writeBytes(bytes);
        send(session, sent);
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        byte[] got = new byte[3];
        assertEquals(3, ((BytesMessage) consumer.receive(WAIT)).readBytes(got));
        assertArrayEquals(bytes, got);

        send(session, session.createObjectMessage("object"));
        assertEquals("object", ((ObjectMessage) consumer.receive(WAIT)).getObject());
    }

    @Test
    void listenerGetsMessages() throws Exception {
        create(queue);
        Session session = session(Session.AUTO_ACKNOWLEDGE);
        BlockingQueue<Message> got = new LinkedBlockingQueue<>();
        send(session, session.createTextMessage("a"));
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        consumer.setMessageListener(got::add);
        assertNotNull(got.poll(WAIT, TimeUnit.MILLISECONDS), "the listener was not called");
        // The listener always has a poll open, which closing would wait for: a message ends it.
        consumer.setMessageListener(null);
        send(session, session.createTextMessage("b"));
    }

    @Test
    void clientAcknowledgeDeletesAllThatWasReceivedBefore() throws JMSException {
        create(queue);
        Session session = session(Session.CLIENT_ACKNOWLEDGE);
        sendTexts(session, "a", "b", "c");
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        consumer.receive(WAIT);
        Message second = consumer.receive(WAIT);
        assertCounts(1, 2);
        second.acknowledge();
        assertCounts(1, 0);
        consumer.receive(WAIT).acknowledge();
        assertCounts(0, 0);
    }

    @Test
    void unorderedAcknowledgeDeletesOnlyThatMessage() throws JMSException {
        create(queue);
        Session session = session(SQSSession.UNORDERED_ACKNOWLEDGE);
        sendTexts(session, "a", "b", "c");
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        Message first = consumer.receive(WAIT);
        Message second = consumer.receive(WAIT);
        second.acknowledge();
        assertCounts(1, 1);
        first.acknowledge();
        assertCounts(1, 0);
    }

    @Test
    void recoverMakesMessagesVisibleAgain() throws JMSException {
        create(queue);
        Session session = session(Session.CLIENT_ACKNOWLEDGE);
        sendTexts(session, "a");
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        Message first = consumer.receive(WAIT);
        assertCounts(0, 1);
        session.recover(); // ChangeMessageVisibilityBatch to 0
        assertCounts(1, 0);

        Message again = consumer.receive(WAIT);
        assertEquals(first.getJMSMessageID(), again.getJMSMessageID());
        assertEquals(2, again.getIntProperty("JMSXDeliveryCount"));
        assertTrue(again.getJMSRedelivered());
        again.acknowledge();
        assertCounts(0, 0);
    }

    @Test
    void closingGivesPrefetchedMessagesBack() throws JMSException {
        create(queue);
        SQSConnection greedy = connect(SQS, 2);
        Session session = greedy.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        sendTexts(session, "a", "b", "c");
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        consumer.receive(WAIT).acknowledge();
        consumer.close();
        assertCounts(2, 0);
    }

    @Test
    void fifoKeepsOrderAndShowsItsAttributes() throws JMSException {
        Session session = fifo(SQS, Session.AUTO_ACKNOWLEDGE);
        sendTexts(session, "a", "b", "b"); // the second b is a duplicate
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue + ".fifo"));
        TextMessage first = (TextMessage) consumer.receive(WAIT);
        TextMessage second = (TextMessage) consumer.receive(WAIT);
        assertEquals("a", first.getText());
        assertEquals("b", second.getText());
        assertEquals("group", first.getStringProperty(SQSMessagingClientConstants.JMSX_GROUP_ID));
        assertEquals("id-a", first.getStringProperty(SQSMessagingClientConstants.JMS_SQS_DEDUPLICATION_ID));
        String sequence = SQSMessagingClientConstants.JMS_SQS_SEQUENCE_NUMBER;
        assertTrue(first.getStringProperty(sequence).compareTo(second.getStringProperty(sequence)) < 0);
        assertCounts(0, 0);
    }

    @Test
    void fifoGroupIsClosedUntilItsMessageIsAcknowledged() throws JMSException {
        Session session = fifo(SQS, Session.CLIENT_ACKNOWLEDGE);
        sendTexts(session, "a", "b");
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue + ".fifo"));
        consumer.receive(WAIT);
        assertNull(consumer.receiveNoWait());
        session.recover();
        TextMessage again = (TextMessage) consumer.receive(WAIT);
        assertEquals("a", again.getText());
        assertTrue(again.getJMSRedelivered());
        again.acknowledge();
        assertEquals("b", ((TextMessage) consumer.receive(WAIT)).getText());
    }

    @Test
    void fifoReceiveCanBeRepeatedWithItsAttemptId() throws JMSException {
        BlockingQueue<String> attempts = new LinkedBlockingQueue<>();
        SqsClient client = Target.sqs(keeping(attempts));
        resources.push(client);
        Session session = fifo(client, Session.CLIENT_ACKNOWLEDGE);
        sendTexts(session, "a", "b");
        Message got = session.createConsumer(session.createQueue(queue + ".fifo")).receive(WAIT);
        // What the library relies on when an answer is lost: the same id gets the same messages.
        String id = attempts.remove();
        var again = SQS.receiveMessage(r -> r.queueUrl(url).receiveRequestAttemptId(id)).messages();
        assertEquals(List.of(got.getJMSMessageID()), again.stream().map(m -> "ID:" + m.messageId()).toList());
    }

    @Test
    void missingQueueIsAnInvalidDestination() throws JMSException {
        SQSConnection connection = connect(SQS, 0);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        JMSException e = assertThrows(InvalidDestinationException.class, () -> session.createQueue("jms-missing"));
        assertEquals("AWS.SimpleQueueService.NonExistentQueue", e.getErrorCode());
        assertFalse(connection.getWrappedAmazonSQSClient().queueExists("jms-missing"));
    }

    @Test
    void emptyQueueGivesNothing() throws JMSException {
        create(queue);
        Session session = session(Session.AUTO_ACKNOWLEDGE);
        assertNull(session.createConsumer(session.createQueue(queue)).receiveNoWait());
    }

    private void create(String name, String... attributes) {
        url = SQS.createQueue(r -> r.queueName(name).attributesWithStrings(pairs(attributes))).queueUrl();
    }

    private static Map<String, String> pairs(String... attributes) {
        return attributes.length == 0 ? Map.of() : Map.of(attributes[0], attributes[1]);
    }

    private Session session(int mode) throws JMSException {
        return connect(SQS, 0).createSession(false, mode);
    }

    private Session fifo(SqsClient client, int mode) throws JMSException {
        create(queue + ".fifo", "FifoQueue", "true");
        return connect(client, 0).createSession(false, mode);
    }

    /** Without prefetching the library asks for a message only when the program does. */
    private SQSConnection connect(SqsClient client, int prefetch) throws JMSException {
        ProviderConfiguration c = new ProviderConfiguration().withNumberOfMessagesToPrefetch(prefetch);
        SQSConnection made = new SQSConnectionFactory(c, client).createConnection();
        resources.push(made);
        made.start();
        return made;
    }

    /** Keeps the attempt ids that the library makes up. */
    private static ExecutionInterceptor keeping(BlockingQueue<String> attempts) {
        return new ExecutionInterceptor() {
            @Override
            public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
                if (context.request() instanceof ReceiveMessageRequest r) {
                    attempts.add(r.receiveRequestAttemptId());
                }
            }
        };
    }

    private void send(Session session, Message m) throws JMSException {
        String name = url.substring(url.lastIndexOf('/') + 1);
        try (MessageProducer producer = session.createProducer(session.createQueue(name))) {
            producer.send(m);
        }
    }

    private void sendTexts(Session session, String... texts) throws JMSException {
        for (String text : texts) {
            TextMessage m = session.createTextMessage(text);
            if (url.endsWith(".fifo")) {
                m.setStringProperty(SQSMessagingClientConstants.JMSX_GROUP_ID, "group");
                m.setStringProperty(SQSMessagingClientConstants.JMS_SQS_DEDUPLICATION_ID, "id-" + text);
            }
            send(session, m);
        }
    }

    private TextMessage receive(Session session, String want) throws JMSException {
        try (MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
            TextMessage got = (TextMessage) consumer.receive(WAIT);
            assertNotNull(got, "no message came");
            assertEquals(want, got.getText());
            return got;
        }
    }

    private void assertCounts(int visible, int inFlight) {
        Map<QueueAttributeName, String> got = SQS.getQueueAttributes(
                r -> r.queueUrl(url).attributeNames(QueueAttributeName.ALL)).attributes();
        assertEquals(visible + " visible, " + inFlight + " in flight",
                got.get(QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES) + " visible, "
                        + got.get(QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE) + " in flight");
    }
}
