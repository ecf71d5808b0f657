import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Plain tests: the process exits with 1 if one fails. */
final class ShopTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static Shop shop;

    private interface Test {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        shop = new Shop(0);
        var tests = new LinkedHashMap<String, Test>();
        tests.put("a paid order is marked as paid", ShopTest::paidOrder);
        tests.put("a repeated webhook changes nothing", ShopTest::repeatedWebhook);
        tests.put("a webhook with a wrong signature is refused", ShopTest::wrongSignature);
        tests.put("a payout whose answer is lost is sent once", ShopTest::lostAnswer);
        tests.put("a signature is valid for its bytes, for five minutes", ShopTest::signature);
        int failed = 0;
        for (var test : tests.entrySet()) {
            try {
                test.getValue().run();
                System.out.println("ok - " + test.getKey());
            } catch (Exception | AssertionError error) {
                failed++;
                System.out.println("not ok - " + test.getKey());
                error.printStackTrace();
            }
        }
        System.exit(failed == 0 ? 0 : 1);
    }

    private static void paidOrder() throws Exception {
        Map<?, ?> order = createOrder("1001");
        equal(true, ((String) order.get("qr_code")).startsWith("000201"));
        sandbox("POST", "/payins/" + order.get("id") + "/pay", null);
        sandbox("GET", "/wait?type=payin.paid&transaction_id=" + order.get("id"), null);
        equal(List.of("waiting", "paid"), historyOf(order.get("id")));
    }

    private static void repeatedWebhook() throws Exception {
        Object id = createOrder("1002").get("id");
        sandbox("POST", "/faults", Map.of("on", "webhook", "effect", "duplicate_at_once", "times", 1));
        sandbox("POST", "/payins/" + id + "/pay", null);
        sandbox("POST", "/settle", null); // until both have been answered
        Map<?, ?> delivery = sandbox("GET", "/wait?type=payin.paid&transaction_id=" + id, null);
        Map<?, ?> resent = sandbox("POST", "/deliveries/" + delivery.get("id") + "/resend", null);
        equal(List.of(200.0, 200.0, 200.0), all("status", resent.get("attempts")));
        equal(List.of("waiting", "paid"), historyOf(id));
    }

    private static void wrongSignature() throws Exception {
        Object id = createOrder("1003").get("id");
        sandbox("POST", "/faults", Map.of("on", "webhook", "effect", "bad_signature", "times", 1));
        sandbox("POST", "/payins/" + id + "/pay", null);
        sandbox("POST", "/settle", null);
        Map<?, ?> page = sandbox("GET", "/deliveries?transaction_id=" + id, null);
        List<?> attempts = (List<?>) all("attempts", page.get("data")).get(0);
        equal(400.0, all("status", attempts).get(0));
        equal(List.of("waiting"), historyOf(id));
    }

    private static void lostAnswer() throws Exception {
        sandbox("POST", "/faults", Map.of("on", "payouts.create", "effect", "lost_answer", "times", 1));
        Map<String, Object> invoice =
                Map.of(
                        "invoice", "2001",
                        "value", 25,
                        "receiver_cpf", "52998224725",
                        "receiver_name", "João Souza",
                        "receiver_email", "joao@example.com",
                        "pix_key", "52998224725",
                        "pix_key_type", "cpf");
        Object id = ((Map<?, ?>) call("POST", shop.url + "/payouts", invoice)).get("id");
        equal(List.of(id), all("id", sandbox("GET", "/payouts", null).get("data")));
        sandbox("POST", "/payouts/" + id + "/complete", null);
        sandbox("GET", "/wait?type=payout.completed&transaction_id=" + id, null);
        equal(List.of("waiting", "completed"), historyOf(id));
    }

    private static void signature() throws Exception {
        equal(true, isGenuine("{\"test\": 2432232314}", 1614265330));
        equal(true, isGenuine("{\"test\": 2432232314}", 1614265330 + 300));
        equal(false, isGenuine("{\"test\": 2432232314}", 1614265330 + 301));
        equal(false, isGenuine("{\"test\": 2432232314}", 1614265330 - 301));
        equal(false, isGenuine("{\"test\":2432232314}", 1614265330));
        equal(false, Webhook.isGenuine(new byte[0], null, null, null, "whsec_", Instant.now()));
    }

    private static boolean isGenuine(String body, long now) throws Exception {
        return Webhook.isGenuine(
                body.getBytes(StandardCharsets.UTF_8),
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                "1614265330",
                "v1,b2xk v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                Instant.ofEpochSecond(now));
    }

    private static Map<?, ?> createOrder(String number) throws Exception {
        Map<String, Object> order =
                Map.of(
                        "number", number,
                        "value", 10.5,
                        "buyer_cpf", "12345678909",
                        "buyer_name", "Maria da Silva",
                        "buyer_email", "maria@example.com");
        return (Map<?, ?>) call("POST", shop.url + "/orders", order);
    }

    private static Object historyOf(Object id) throws Exception {
        return call("GET", shop.url + "/payments/" + id, null);
    }

    /** Calls a control route of the sandbox. */
    private static Map<?, ?> sandbox(String method, String path, Map<String, Object> body) throws Exception {
        return (Map<?, ?>) call(method, System.getenv("PIX_SANDBOX_URL") + "/_sandbox" + path, body);
    }

    private static Object call(String method, String url, Map<String, Object> body) throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create(url))
                        .header("x-api-token", System.getenv("PIX_SANDBOX_TOKEN"));
        if (body == null) request.method(method, BodyPublishers.noBody());
        else
            request.header("content-type", "application/json")
                    .method(method, BodyPublishers.ofString(Json.write(body)));
        var response = CLIENT.send(request.build(), BodyHandlers.ofString());
        equal(2, response.statusCode() / 100);
        return Json.read(response.body());
    }

    /** The values that the objects of a list have under a name. */
    private static List<?> all(String name, Object objects) {
        return ((List<?>) objects).stream().map(one -> ((Map<?, ?>) one).get(name)).toList();
    }

    private static void equal(Object expected, Object actual) {
        if (!Objects.equals(expected, actual))
            throw new AssertionError("expected " + expected + ", got " + actual);
    }
}
