package sluicemq.clients;

import com.aliyun.mns.client.CloudAccount;
import com.aliyun.mns.client.MNSClient;
import com.aliyun.mns.common.http.ClientConfiguration;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.Comparator;

/** Opens a client in either version of the SDK, whose only difference for us is the constructor of an account. */
final class MnsAccount {
    private MnsAccount() {}

    static MNSClient open() {
        try {
            return account().getMNSClient();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the SDK has no account that we know", e);
        }
    }

    /** The longest constructor takes the same in both, except that 2.0 has a region at the end. */
    private static CloudAccount account() throws ReflectiveOperationException {
        ClientConfiguration c = new ClientConfiguration();
        c.setMaxErrorRetry(0);
        Object[] arguments = {"any", "any", Target.url(), null, null, c, "cn-hangzhou"};
        Constructor<?> longest = Arrays.stream(CloudAccount.class.getConstructors())
                .max(Comparator.comparing(Constructor::getParameterCount))
                .orElseThrow();
        return (CloudAccount) longest.newInstance(Arrays.copyOf(arguments, longest.getParameterCount()));
    }
}
