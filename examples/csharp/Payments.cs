using System.Text.Json.Nodes;

/// <summary>
/// One try to pay an invoice. A try has its own key: a lost response is repeated with that key, and only a
/// canceled payout starts the next try.
/// </summary>
public sealed record Invoice(string Number, int Attempt, JsonObject Payout)
{
    public string Key => $"invoice-{Number}-{Attempt}";
}

/// <summary>
/// The statuses of each payin and payout, by its id, oldest first. A real shop has two tables: payments, and
/// webhook ids with a unique index.
/// </summary>
public sealed class Payments
{
    private static readonly Dictionary<string, string> Statuses = new()
    {
        ["payin.paid"] = "paid",
        ["payout.completed"] = "completed",
        ["payout.canceled"] = "canceled",
    };

    private readonly Dictionary<string, List<string>> histories = new();
    private readonly Dictionary<string, decimal> values = new();
    private readonly HashSet<string> seenWebhooks = new();
    /// <summary>The current try of each invoice, by its number.</summary>
    private readonly Dictionary<string, Invoice> invoices = new();
    /// <summary>The try of each payout, by its id.</summary>
    private readonly Dictionary<string, Invoice> payouts = new();

    /// <summary>Stores a payment, unless it is stored already.</summary>
    public void Add(string id, decimal value)
    {
        lock (histories)
        {
            histories.TryAdd(id, new List<string> { "waiting" });
            values[id] = value;
        }
    }

    /// <summary>Stores an invoice before its payout is sent, and returns its current try.</summary>
    public Invoice StoreInvoice(string number, JsonObject payout)
    {
        lock (histories)
        {
            var attempt = invoices.GetValueOrDefault(number)?.Attempt ?? 1;
            return invoices[number] = new Invoice(number, attempt, payout);
        }
    }

    public void AddPayout(string id, Invoice invoice)
    {
        lock (histories)
        {
            Add(id, (decimal)invoice.Payout["value"]!);
            payouts[id] = invoice;
        }
    }

    public string[]? History(string id)
    {
        lock (histories) return histories.GetValueOrDefault(id)?.ToArray();
    }

    /// <summary>
    /// Applies a webhook once, and returns whether its payment is known. The check and the change are one
    /// step; with a database, both belong in one transaction.
    /// </summary>
    /// <param name="onCanceled">called once for each canceled payout, with the next try of its invoice</param>
    public bool Apply(string webhookId, JsonNode webhook, Action<Invoice> onCanceled)
    {
        if (!Statuses.TryGetValue((string)webhook["type"]!, out var status)) return true;
        lock (histories)
        {
            var data = webhook["data"]!;
            var id = (string)data["id"]!;
            if (!histories.TryGetValue(id, out var history)) return false;
            // An older event does not overwrite a final status, and another value is not this payment's.
            var isExpected = history.Count == 1 && (decimal?)data["value"] == values[id];
            if (!seenWebhooks.Add(webhookId) || !isExpected) return true;
            history.Add(status);
            if (status != "canceled" || !payouts.TryGetValue(id, out var canceled)) return true;
            var current = invoices[canceled.Number];
            if (current.Attempt != canceled.Attempt) return true;
            var next = current with { Attempt = current.Attempt + 1 };
            invoices[next.Number] = next;
            onCanceled(next);
            return true;
        }
    }
}
