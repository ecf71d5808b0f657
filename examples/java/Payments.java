import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The statuses of each payin and payout, by its id, oldest first. A real shop has two tables: payments, and
 * webhook ids with a unique index.
 */
final class Payments {
    private static final Map<String, String> STATUSES =
            Map.of(
                    "payin.paid", "paid",
                    "payout.completed", "completed",
                    "payout.canceled", "canceled");

    private final Map<String, List<String>> histories = new HashMap<>();
    private final Map<String, Object> values = new HashMap<>();
    private final Set<String> seenWebhooks = new HashSet<>();

    /** Stores a payment, unless it is stored already. */
    synchronized void add(String id, Object value) {
        values.put(id, value);
        histories.computeIfAbsent(id, key -> new ArrayList<>(List.of("waiting")));
    }

    /** Returns the payment's statuses; none if it is unknown. */
    synchronized List<String> history(String id) {
        return List.copyOf(histories.getOrDefault(id, List.of()));
    }

    /**
     * Applies a webhook once. The check and the change are one step; with a database, both belong in one
     * transaction.
     *
     * @return whether the payment is known
     */
    synchronized boolean apply(String webhookId, String type, String id, Object value) {
        String status = STATUSES.get(type);
        if (status == null) return true;
        List<String> history = histories.get(id);
        if (history == null) return false;
        // An older event does not overwrite a final status, and another value is not this payment's.
        boolean isExpected = history.size() == 1 && values.get(id).equals(value);
        if (seenWebhooks.add(webhookId) && isExpected) history.add(status);
        return true;
    }
}
