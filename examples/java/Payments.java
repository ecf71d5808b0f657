import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The statuses of each payin and payout, by its id, oldest first. A real shop has two tables: payments, and
 * webhook ids with a unique index.
 */
final class Payments {
    /**
     * One try to pay an invoice. A try has its own key: a lost response is repeated with that key, and only a
     * canceled payout starts the next try.
     */
    record Invoice(String number, int attempt, Map<String, Object> payout) {
        String key() {
            return "invoice-" + number + "-" + attempt;
        }
    }

    private static final Map<String, String> STATUSES =
            Map.of(
                    "payin.paid", "paid",
                    "payout.completed", "completed",
                    "payout.canceled", "canceled");

    private final Map<String, List<String>> histories = new HashMap<>();
    private final Map<String, Object> values = new HashMap<>();
    private final Set<String> seenWebhooks = new HashSet<>();
    /** The current try of each invoice, by its number. */
    private final Map<String, Invoice> invoices = new HashMap<>();
    /** The try of each payout, by its id. */
    private final Map<String, Invoice> payouts = new HashMap<>();

    /** Stores a payment, unless it is stored already. */
    synchronized void add(String id, Object value) {
        values.put(id, value);
        histories.computeIfAbsent(id, key -> new ArrayList<>(List.of("waiting")));
    }

    /** Stores an invoice before its payout is sent, and returns its current try. */
    synchronized Invoice invoice(String number, Map<String, Object> payout) {
        Invoice stored = invoices.get(number);
        Invoice invoice = new Invoice(number, stored == null ? 1 : stored.attempt(), payout);
        invoices.put(number, invoice);
        return invoice;
    }

    synchronized void addPayout(String id, Invoice invoice) {
        add(id, invoice.payout().get("value"));
        payouts.put(id, invoice);
    }

    /** Returns the payment's statuses; none if it is unknown. */
    synchronized List<String> history(String id) {
        return List.copyOf(histories.getOrDefault(id, List.of()));
    }

    /**
     * Applies a webhook once. The check and the change are one step; with a database, both belong in one
     * transaction.
     *
     * @param onCanceled called once for each canceled payout, with the next try of its invoice
     * @return whether the payment is known
     */
    synchronized boolean apply(
            String webhookId, String type, String id, Object value, Consumer<Invoice> onCanceled) {
        String status = STATUSES.get(type);
        if (status == null) return true;
        List<String> history = histories.get(id);
        if (history == null) return false;
        // An older event does not overwrite a final status, and another value is not this payment's.
        boolean isExpected = history.size() == 1 && values.get(id).equals(value);
        if (!seenWebhooks.add(webhookId) || !isExpected) return true;
        history.add(status);
        Invoice canceled = payouts.get(id);
        if (!status.equals("canceled") || canceled == null) return true;
        Invoice current = invoices.get(canceled.number());
        if (current.attempt() == canceled.attempt()) {
            Invoice next = new Invoice(current.number(), current.attempt() + 1, current.payout());
            invoices.put(next.number(), next);
            onCanceled.accept(next);
        }
        return true;
    }
}
