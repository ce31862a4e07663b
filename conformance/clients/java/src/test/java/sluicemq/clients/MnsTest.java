package sluicemq.clients;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.aliyun.mns.client.AsyncResult;
import com.aliyun.mns.client.CloudQueue;
import com.aliyun.mns.client.MNSClient;
import com.aliyun.mns.common.BatchDeleteException;
import com.aliyun.mns.common.ServiceException;
import com.aliyun.mns.common.ServiceHandlingRequiredException;
import com.aliyun.mns.model.Message;
import com.aliyun.mns.model.MessagePropertyValue;
import com.aliyun.mns.model.PagingListResult;
import com.aliyun.mns.model.QueueMeta;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The official SDK of MNS for Java, in the version that the build names, signing in the way it does by default: V2. */
class MnsTest {
    private static final String GONE = "The queue name you provided is not exist.";
    private static final MNSClient CLIENT = MnsAccount.open();

    /** Seconds: long enough for a busy machine; a message that is there ends the wait at once. */
    private static final int WAIT = 10;

    private final String name = "mns-" + UUID.randomUUID();
    private final CloudQueue queue = CLIENT.getQueueRef(name);

    @BeforeEach
    void create() {
        assertEquals(Target.url() + "/queues/" + name, queue.create());
    }

    @AfterAll
    static void end() {
        CLIENT.close();
    }

    @Test
    void newQueueHasTheDefaultAttributes() {
        QueueMeta got = queue.getAttributes();
        assertEquals(name, got.getQueueName());
        assertEquals(0L, got.getDelaySeconds());
        assertEquals(65536L, got.getMaxMessageSize());
        assertEquals(345600L, got.getMessageRetentionPeriod());
        assertEquals(30L, got.getVisibilityTimeout());
        assertEquals(0, got.getPollingWaitSeconds());
        assertEquals(0L, got.getActiveMessages());
        assertEquals(0L, got.getInactiveMessages());
        assertEquals(0L, got.getDelayMessages());
        assertFalse(got.isLoggingEnabled());
        assertNow(got.getCreateTime());
        assertEquals(got.getCreateTime(), got.getLastModifyTime());
    }

    @Test
    void createAgainSucceedsOnlyWithTheSameAttributes() {
        assertEquals(Target.url() + "/queues/" + name, queue.create());
        String message = "The queue you want to create is already exist.";
        assertFails("QueueAlreadyExist", message, () -> queue.create(meta(60)));
    }

    @Test
    void setAttributesChangesOnlyWhatItNames() {
        queue.setAttributes(meta(60));
        QueueMeta got = queue.getAttributes();
        assertEquals(60L, got.getVisibilityTimeout());
        assertEquals(345600L, got.getMessageRetentionPeriod());
    }

    @Test
    void attributeOutOfRangeIsRefused() {
        ServiceException e = assertThrows(ServiceException.class, () -> queue.setAttributes(meta(43201)));
        assertEquals("InvalidArgument", e.getErrorCode());
        assertEquals(30L, queue.getAttributes().getVisibilityTimeout());
    }

    @Test
    void listGoesPageByPage() {
        List<String> made = new ArrayList<>();
        for (String end : List.of("-a", "-b", "-c")) {
            CLIENT.getQueueRef(name + end).create();
            made.add(Target.url() + "/queues/" + name + end);
        }
        PagingListResult<String> first = CLIENT.listQueueURL(name + "-", null, 2);
        assertEquals(made.subList(0, 2), first.getResult());
        PagingListResult<QueueMeta> second = CLIENT.listQueue(name + "-", first.getMarker(), 2);
        assertEquals(List.of(name + "-c"), second.getResult().stream().map(QueueMeta::getQueueName).toList());
        assertEquals(30L, second.getResult().get(0).getVisibilityTimeout());
        assertNull(second.getMarker());
        assertNull(CLIENT.listQueue("missing-", null, 2));
    }

    @Test
    void deletedQueueIsGone() {
        queue.delete();
        queue.delete();
        assertFalse(queue.isQueueExist());
        assertFails("QueueNotExist", GONE, queue::getAttributes);
        assertFails("QueueNotExist", GONE, () -> queue.putMessage(new Message("a")));
        assertFails("QueueNotExist", GONE, queue::popMessage);
    }

    @Test
    void receivedMessageIsTheSentOne() throws Exception {
        Message sent = new Message("grüße <&>"); // the SDK encodes bodies unless told otherwise
        sent.setPriority(3);
        byte[] bytes = {0, 1, 'a'}; // this SDK loses bytes that are not UTF-8
        sent.setUserProperties(new HashMap<>(Map.of(
                "text", new MessagePropertyValue("v"), "bytes", new MessagePropertyValue(bytes))));
        Message answer = queue.putMessage(sent);
        Message got = queue.popMessage(WAIT);
        assertEquals(answer.getMessageId(), got.getMessageId());
        assertEquals(answer.getMessageBodyMD5(), got.getMessageBodyMD5());
        assertEquals("grüße <&>", got.getMessageBodyAsString());
        assertEquals(3, got.getPriority());
        assertEquals(1, got.getDequeueCount());
        assertNow(got.getEnqueueTime());
        assertNow(got.getFirstDequeueTime());
        assertEquals(30_000, got.getNextVisibleTime().getTime() - got.getFirstDequeueTime().getTime());
        assertEquals("v", got.getUserProperties().get("text").getStringValue());
        assertArrayEquals(bytes, got.getUserProperties().get("bytes").getBinaryValue());
        assertNull(queue.popMessage());
        queue.deleteMessage(got.getReceiptHandle());
        assertEquals(0L, queue.getAttributes().getInactiveMessages());
    }

    @Test
    void plainBodyStaysPlain() throws Exception {
        queue.putMessage(raw("  grüße <&>\n"));
        assertEquals("  grüße <&>\n", queue.popMessage(WAIT).getMessageBodyAsRawString());
    }

    @Test
    void digestIsThatOfTheBodyAsSent() {
        // Recorded 2022 for the body "hello world".
        assertEquals("5EB63BBBE01EEED093CB22BB8F5ACDC3", queue.putMessage(raw("hello world")).getMessageBodyMD5());
    }

    @Test
    void peekChangesNothing() throws Exception {
        assertNull(queue.peekMessage());
        assertNull(queue.batchPeekMessage(16));
        queue.putMessage(raw("a"));
        for (int i = 0; i < 2; i++) {
            Message got = queue.peekMessage();
            assertEquals("a", got.getMessageBodyAsRawString());
            assertEquals(0, got.getDequeueCount());
            assertNull(got.getReceiptHandle());
        }
        assertEquals(1, queue.batchPeekMessage(16).size());
        assertEquals(1, queue.popMessage(WAIT).getDequeueCount());
    }

    @Test
    void urgentMessagesComeFirst() throws Exception {
        for (int priority : new int[] {8, 16, 1}) {
            Message m = raw("p" + priority);
            m.setPriority(priority);
            queue.putMessage(m);
        }
        List<Message> got = queue.batchPopMessage(16, WAIT);
        assertEquals(List.of("p1", "p8", "p16"), got.stream().map(Message::getMessageBodyAsRawString).toList());
    }

    @Test
    void delayedMessageIsHiddenAndCanBeTakenBack() throws Exception {
        Message m = raw("late");
        m.setDelaySeconds(60);
        String handle = queue.putMessage(m).getReceiptHandle();
        assertNotNull(handle, "a delayed message has a receipt handle at once");
        assertNull(queue.peekMessage());
        assertEquals(1L, queue.getAttributes().getDelayMessages());
        queue.deleteMessage(handle);
        assertEquals(0L, queue.getAttributes().getDelayMessages());
    }

    @Test
    void batchesKeepOrderAndNumber() throws Exception {
        List<Message> sent = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            sent.add(raw("m" + i));
        }
        List<Message> answer = queue.batchPutMessage(sent);
        List<Message> got = queue.batchPopMessage(16, WAIT);
        assertEquals(ids(answer), ids(got));
        queue.batchDeleteMessage(got.stream().map(Message::getReceiptHandle).toList());
        assertNull(queue.batchPopMessage(16));
        assertEquals(0L, queue.getAttributes().getInactiveMessages());
        sent.add(raw("one too many"));
        ServiceException e = assertThrows(ServiceException.class, () -> queue.batchPutMessage(sent));
        assertEquals("InvalidArgument", e.getErrorCode());
    }

    @Test
    void batchDeleteNamesOnlyTheHandlesThatFailed() throws Exception {
        queue.putMessage(raw("a"));
        String handle = queue.popMessage(WAIT).getReceiptHandle();
        List<String> handles = List.of("fake", handle);
        var e = assertThrows(ServiceHandlingRequiredException.class, () -> queue.batchDeleteMessage(handles));
        var failed = assertInstanceOf(BatchDeleteException.class, e.getCause()).getErrorMessages();
        assertEquals(List.of("fake"), List.copyOf(failed.keySet()));
        assertEquals("ReceiptHandleError", failed.get("fake").getErrorCode());
        assertEquals("The receipt handle you provide is not valid.", failed.get("fake").getErrorMessage());
        assertEquals(0L, queue.getAttributes().getInactiveMessages());
    }

    @Test
    void changeOfVisibilityRenewsTheHandle() throws Exception {
        queue.putMessage(raw("a"));
        Message got = queue.popMessage(WAIT);
        Message changed = queue.changeMessageVisibility(got.getReceiptHandle(), 60);
        assertNotEquals(got.getReceiptHandle(), changed.getReceiptHandle());
        long later = changed.getNextVisibleTime().getTime() - got.getFirstDequeueTime().getTime();
        assertEquals(75_000, later, 15_000.0, "milliseconds from the receive to NextVisibleTime");
        assertRequiresHandling("MessageNotExist", () -> queue.deleteMessage(got.getReceiptHandle()));
        queue.deleteMessage(changed.getReceiptHandle());
        assertRequiresHandling("MessageNotExist", () -> queue.deleteMessage(changed.getReceiptHandle()));
    }

    @Test
    void messageComesBackWhenItsTimeIsOver() throws Exception {
        queue.putMessage(raw("a"));
        Message got = queue.popMessage(WAIT);
        queue.changeMessageVisibilityTimeout(got.getReceiptHandle(), 1);
        Message again = queue.popMessage(WAIT);
        assertEquals(got.getMessageId(), again.getMessageId());
        assertEquals(2, again.getDequeueCount());
        assertEquals(got.getFirstDequeueTime(), again.getFirstDequeueTime());
    }

    @Test
    void unusableHandlesAreRefused() throws Exception {
        queue.putMessage(raw("a"));
        String handle = queue.popMessage(WAIT).getReceiptHandle();
        assertRequiresHandling("ReceiptHandleError", () -> queue.deleteMessage("fake"));
        assertFails("ReceiptHandleError", "The receipt handle you provide is not valid.",
                () -> queue.changeMessageVisibilityTimeout("fake", 5));
        var e = assertThrows(ServiceException.class, () -> queue.changeMessageVisibilityTimeout(handle, 0));
        assertEquals("InvalidArgument", e.getErrorCode());
        queue.deleteMessage(handle);
    }

    @Test
    void waitingReceiveEndsWithTheFirstMessage() throws Exception {
        AsyncResult<Message> waiting = queue.asyncPopMessage(30, null);
        queue.putMessage(raw("a"));
        Message got = waiting.getResult(WAIT * 1000L);
        assertNotNull(got, () -> "no message came: " + waiting.getException());
        assertEquals("a", got.getMessageBodyAsRawString());
    }

    private QueueMeta meta(long visibility) {
        QueueMeta m = new QueueMeta();
        m.setQueueName(name);
        m.setVisibilityTimeout(visibility);
        return m;
    }

    private static Message raw(String body) {
        Message m = new Message();
        m.setMessageBodyAsRawString(body);
        return m;
    }

    private static List<String> ids(List<Message> messages) {
        return messages.stream().map(Message::getMessageId).toList();
    }

    private static void assertNow(Date d) {
        assertEquals(System.currentTimeMillis(), d.getTime(), 60_000.0);
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void assertFails(String code, String message, Action action) {
        ServiceException e = assertThrows(ServiceException.class, action::run);
        assertEquals(code, e.getErrorCode());
        assertEquals(message, e.getMessage());
        assertEquals(Target.url(), e.getHostId());
        assertTrue(e.getRequestId().matches("[0-9A-F]{24}"), e.getRequestId());
    }

    /** What a program may retry is an exception of its own in this SDK. */
    private static void assertRequiresHandling(String code, Action action) {
        var e = assertThrows(ServiceHandlingRequiredException.class, action::run);
        assertEquals(code, e.getErrorCode());
    }
}
