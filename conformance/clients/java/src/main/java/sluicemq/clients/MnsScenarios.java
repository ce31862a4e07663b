package sluicemq.clients;

import com.aliyun.mns.client.CloudAccount;
import com.aliyun.mns.client.MNSClient;
import com.aliyun.mns.common.auth.SignVersion;
import com.aliyun.mns.common.http.ClientConfiguration;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs the shared scenarios of MNS with its SDK for Java, version 2. The arguments are the list's file and the version
 * of signatures, V2 or V4.
 */
public final class MnsScenarios {
    private MnsScenarios() {}

    /** Ends as {@link Scenarios#main} does. */
    public static void main(String[] args) throws Exception {
        Scenarios.Listing list = Scenarios.read(args[0]);
        Map<String, MNSClient> clients = new HashMap<>();
        list.keys().forEach((name, key) -> clients.put(name, open(key, SignVersion.valueOf(args[1]))));
        Scenarios.play(list, Map.of(), () -> new MnsOperations(clients)); // nothing that this SDK cannot send
        clients.values().forEach(MNSClient::close);
        System.exit(0); // the SDK leaves threads behind
    }

    private static MNSClient open(Map<String, String> key, SignVersion version) {
        ClientConfiguration c = new ClientConfiguration();
        c.setMaxErrorRetry(0);
        c.setSignatureVersion(version);
        String id = key.get("id");
        return new CloudAccount(id, key.get("secret"), Target.url(), key.get("token"), null, c, "cn-hangzhou").getMNSClient();
    }
}
