package orders;

import java.util.List;
import java.util.function.Predicate;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;

/** A small program as its users write them: a worker that takes orders from a queue. */
public final class Worker {
    private Worker() {}

    /**
     * Takes the orders that there are at this moment. One that is refused is given back at once, until the queue's redrive
     * policy sets it aside.
     */
    public static void work(SqsClient sqs, String queue, Predicate<String> handle) {
        for (;;) {
            List<Message> messages = sqs.receiveMessage(r -> r.queueUrl(queue).maxNumberOfMessages(10)).messages();
            if (messages.isEmpty()) {
                return;
            }
            for (Message message : messages) {
                String receipt = message.receiptHandle();
                if (handle.test(message.body())) {
                    sqs.deleteMessage(r -> r.queueUrl(queue).receiptHandle(receipt));
                } else {
                    sqs.changeMessageVisibility(r -> r.queueUrl(queue).receiptHandle(receipt).visibilityTimeout(0));
                }
            }
        }
    }
}
