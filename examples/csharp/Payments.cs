using System.Text.Json.Nodes;

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

    /// <summary>Stores a payment, unless it is stored already.</summary>
    public void Add(string id, decimal value)
    {
        lock (histories)
        {
            histories.TryAdd(id, new List<string> { "waiting" });
            values[id] = value;
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
    public bool Apply(string webhookId, JsonNode webhook)
    {
        if (!Statuses.TryGetValue((string)webhook["type"]!, out var status)) return true;
        lock (histories)
        {
            var data = webhook["data"]!;
            var id = (string)data["id"]!;
            if (!histories.TryGetValue(id, out var history)) return false;
            // An older event does not overwrite a final status, and another value is not this payment's.
            var isExpected = history.Count == 1 && (decimal?)data["value"] == values[id];
            if (seenWebhooks.Add(webhookId) && isExpected) history.Add(status);
            return true;
        }
    }
}
