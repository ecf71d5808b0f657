using System.Security.Cryptography;
using System.Text;

public static class Webhook
{
    /// <summary>Verifies a webhook's signature, as Standard Webhooks defines it.</summary>
    /// <param name="body">the raw bytes of the request, before any JSON parser</param>
    /// <param name="signatures">the header webhook-signature</param>
    public static bool IsGenuine(
        byte[] body, string id, string timestamp, string signatures, string secret, DateTimeOffset now)
    {
        var nowSeconds = now.ToUnixTimeSeconds();
        if (!long.TryParse(timestamp, out var seconds)) return false;
        if (seconds < nowSeconds - 300 || seconds > nowSeconds + 300) return false;
        var key = Convert.FromBase64String(secret.Replace("whsec_", ""));
        var content = Encoding.UTF8.GetBytes($"{id}.{timestamp}.").Concat(body).ToArray();
        var hmac = Convert.ToBase64String(HMACSHA256.HashData(key, content));
        var expected = Encoding.UTF8.GetBytes($"v1,{hmac}");
        return signatures.Split(' ').Any(signature =>
            CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(signature), expected));
    }
}
