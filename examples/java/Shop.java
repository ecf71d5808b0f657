import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A shop that sells with Pix. */
final class Shop {
    private static final int MAX_BODY = 1024 * 1024;

    final String url;
    private final Payments payments = new Payments();
    private final HttpServer server;
    private final ExecutorService executor = Executors.newFixedThreadPool(16);

    Shop(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        url =
                System.getenv().getOrDefault(
                        "SHOP_URL", "http://127.0.0.1:" + server.getAddress().getPort());
        server.setExecutor(executor);
        route("/orders", this::createOrder);
        route("/payouts", this::createPayout);
        route("/payments/", this::showPayment);
        route("/webhooks/pix", this::receiveWebhook);
        server.start();
    }

    public static void main(String[] args) throws IOException {
        new Shop(Integer.parseInt(System.getenv().getOrDefault("PORT", "3000")));
    }

    // The order's number is the idempotency key: the same order sent twice creates one charge.
    private Answer createOrder(HttpExchange exchange, byte[] body) throws Exception {
        Map<String, Object> payin = Json.readObject(new String(body, StandardCharsets.UTF_8));
        String key = "order-" + payin.remove("number");
        payin.put("webhook_url", url + "/webhooks/pix");
        Map<String, Object> created = Gateway.createPayin(key, payin);
        payments.add((String) created.get("id"), payin.get("value"));
        return new Answer(201, Map.of("id", created.get("id"), "qr_code", created.get("qr_code")));
    }

    private Answer createPayout(HttpExchange exchange, byte[] body) throws Exception {
        Map<String, Object> payout = Json.readObject(new String(body, StandardCharsets.UTF_8));
        String number = String.valueOf(payout.remove("invoice"));
        payout.put("webhook_url", url + "/webhooks/pix");
        return new Answer(201, Map.of("id", sendPayout(payments.invoice(number, payout))));
    }

    private String sendPayout(Payments.Invoice invoice) throws IOException, InterruptedException {
        String id = (String) Gateway.createPayout(invoice.key(), invoice.payout()).get("id");
        payments.addPayout(id, invoice);
        return id;
    }

    // Sends a canceled payout again once. If that one is canceled too, the next POST /payouts sends another.
    private void sendAgain(Payments.Invoice invoice) {
        if (invoice.attempt() != 2) return;
        executor.execute(() -> {
            try {
                sendPayout(invoice);
            } catch (Exception error) {
                error.printStackTrace();
            }
        });
    }

    private Answer showPayment(HttpExchange exchange, byte[] body) {
        String path = exchange.getRequestURI().getPath();
        List<String> history = payments.history(path.substring("/payments/".length()));
        return history.isEmpty() ? new Answer(404, null) : new Answer(200, history);
    }

    private Answer receiveWebhook(HttpExchange exchange, byte[] body) throws GeneralSecurityException {
        var headers = exchange.getRequestHeaders();
        String id = headers.getFirst("webhook-id");
        String timestamp = headers.getFirst("webhook-timestamp");
        String signatures = headers.getFirst("webhook-signature");
        String secret = System.getenv("PIX_SANDBOX_SECRET");
        // The signature covers the bytes as they were sent: verify first, parse then.
        if (!Webhook.isGenuine(body, id, timestamp, signatures, secret, Instant.now()))
            return new Answer(400, null);
        Map<String, Object> event = Json.readObject(new String(body, StandardCharsets.UTF_8));
        Map<?, ?> data = (Map<?, ?>) event.get("data");
        // A webhook can arrive before createPayin() returns: after a 404 the gateway sends it again.
        // Answer at once; slow work, such as sending e-mail, comes later.
        String type = (String) event.get("type");
        String paymentId = (String) data.get("id");
        boolean isKnown = payments.apply(id, type, paymentId, data.get("value"), this::sendAgain);
        return new Answer(isKnown ? 200 : 404, null);
    }

    private record Answer(int status, Object content) {}

    private interface Handler {
        Answer handle(HttpExchange exchange, byte[] body) throws Exception;
    }

    private void route(String path, Handler handler) {
        server.createContext(path, exchange -> {
            Answer answer;
            try {
                byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
                answer = body.length > MAX_BODY ? new Answer(413, null) : handler.handle(exchange, body);
            } catch (Exception error) {
                error.printStackTrace();
                answer = new Answer(500, null);
            }
            send(exchange, answer);
            exchange.close();
        });
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        if (answer.content() == null) {
            exchange.sendResponseHeaders(answer.status(), -1);
            return;
        }
        byte[] content = Json.write(answer.content()).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", "application/json");
        exchange.sendResponseHeaders(answer.status(), content.length);
        exchange.getResponseBody().write(content);
    }
}
