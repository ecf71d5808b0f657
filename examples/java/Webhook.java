import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhook {
    /**
     * Verifies a webhook's signature, as Standard Webhooks defines it.
     *
     * @param body the raw bytes of the request, before any JSON parser
     * @param signatures the header webhook-signature
     */
    static boolean isGenuine(
            byte[] body, String id, String timestamp, String signatures, String secret, Instant now)
            throws GeneralSecurityException {
        if (timestamp == null || !timestamp.matches("[0-9]{1,12}") || signatures == null) return false;
        if (Math.abs(now.getEpochSecond() - Long.parseLong(timestamp)) > 300) return false;
        byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(UTF_8));
        String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        return Stream.of(signatures.split(" "))
                .anyMatch(one -> MessageDigest.isEqual(one.getBytes(UTF_8), expected.getBytes(UTF_8)));
    }
}
