package sluicemq.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** The extension, used as its users do. */
@EnabledIfEnvironmentVariable(named = "SLUICE_BINARY", matches = ".+")
class SluiceTest {
    @RegisterExtension
    static final Sluice sluice = new Sluice();

    private final SqsClient sqs = sluice.sqs();

    @RepeatedTest(2)
    void runsDoNotMeet() {
        assertEquals(List.of(), sqs.listQueues().queueUrls());
        String url = sqs.createQueue(q -> q.queueName("orders")).queueUrl();
        sqs.sendMessage(m -> m.queueUrl(url).messageBody("x"));
        assertEquals(1, sqs.receiveMessage(r -> r.queueUrl(url).maxNumberOfMessages(10)).messages().size());
    }

    @Test
    void timeIsMovedByHand() throws Exception {
        String url = sqs.createQueue(q -> q.queueName("orders")).queueUrl();
        sqs.sendMessage(m -> m.queueUrl(url).messageBody("again"));
        for (int i = 0; i < 2; i++) {
            List<Message> got = sqs.receiveMessage(r -> r.queueUrl(url)).messages();
            assertEquals(1, got.size());
            sluice.advance(30);
        }
    }

    @Test
    void faultsHappenAsOftenAsTheyAreToldTo() throws Exception {
        String url = sqs.createQueue(q -> q.queueName("orders")).queueUrl();
        sluice.fault("denied",
                "{\"kind\":\"error\",\"error\":\"AccessDenied\",\"provider\":\"sqs\",\"operation\":\"SendMessage\",\"count\":1}");
        assertThrows(SqsException.class, () -> sqs.sendMessage(m -> m.queueUrl(url).messageBody("x")));
        sqs.sendMessage(m -> m.queueUrl(url).messageBody("x"));
    }
}
