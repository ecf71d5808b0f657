import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

final class Gateway {
    private static final int[] PAUSES_MS = {0, 200, 1000, 5000};
    private static final HttpClient CLIENT =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(5))
                    .build();

    static Map<String, Object> createPayin(String key, Map<String, Object> payin)
            throws IOException, InterruptedException {
        return post("/payins", key, payin);
    }

    static Map<String, Object> createPayout(String key, Map<String, Object> payout)
            throws IOException, InterruptedException {
        return post("/payouts", key, payout);
    }

    /**
     * Sends a call. If no answer comes, or a 5xx, the gateway may or may not have done it. The call is then
     * sent again with the same key: the gateway answers with the first outcome and creates nothing twice.
     */
    private static Map<String, Object> post(String path, String key, Map<String, Object> body)
            throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(URI.create(System.getenv("PIX_SANDBOX_BASE_URL") + path))
                        .timeout(Duration.ofSeconds(10))
                        .header("content-type", "application/json")
                        .header("x-api-token", System.getenv("PIX_SANDBOX_TOKEN"))
                        .header("x-provider-id", "1")
                        .header("x-provider", "My Shop")
                        .header("x-country-code", "BR")
                        .header("x-idempotency-key", key)
                        .POST(HttpRequest.BodyPublishers.ofString(Json.write(body)))
                        .build();
        IOException failure = null;
        for (int pause : PAUSES_MS) {
            Thread.sleep(pause);
            try {
                var response = CLIENT.send(request, BodyHandlers.ofString());
                if (response.statusCode() == 200) return Json.readObject(response.body());
                failure = new IOException(path + ": " + response.statusCode() + " " + response.body());
                if (response.statusCode() < 500) break; // refused: the same call would be refused again
            } catch (IOException error) {
                failure = error;
            }
        }
        throw failure;
    }
}
