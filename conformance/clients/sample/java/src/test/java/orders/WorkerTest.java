package orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import sluicemq.clients.Sluice;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

class WorkerTest {
    @RegisterExtension
    static final Sluice sluice = new Sluice();

    private final SqsClient sqs = sluice.sqs();

    @Test
    void anOrderThatIsRefusedThreeTimesIsSetAside() {
        String dead = sqs.createQueue(q -> q.queueName("orders-dead")).queueUrl();
        String arn = sqs.getQueueAttributes(q -> q.queueUrl(dead).attributeNames(QueueAttributeName.QUEUE_ARN))
                .attributes().get(QueueAttributeName.QUEUE_ARN);
        String policy = "{\"deadLetterTargetArn\":\"" + arn + "\",\"maxReceiveCount\":3}";
        String queue = sqs.createQueue(q -> q.queueName("orders").attributes(Map.of(QueueAttributeName.REDRIVE_POLICY, policy)))
                .queueUrl();
        for (String order : List.of("good", "broken")) {
            sqs.sendMessage(m -> m.queueUrl(queue).messageBody(order));
        }

        List<String> tried = new ArrayList<>();
        Worker.work(sqs, queue, order -> {
            tried.add(order);
            return !order.equals("broken");
        });
        Collections.sort(tried);
        assertEquals(List.of("broken", "broken", "broken", "good"), tried);
        assertEquals(List.of(), bodies(queue));
        assertEquals(List.of("broken"), bodies(dead));
    }

    private List<String> bodies(String queue) {
        return sqs.receiveMessage(r -> r.queueUrl(queue).maxNumberOfMessages(10)).messages().stream().map(Message::body).toList();
    }
}
