using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

public static class Gateway
{
    private static readonly int[] PausesMs = { 0, 200, 1000, 5000 };
    private static readonly HttpClient Client = new() { Timeout = TimeSpan.FromSeconds(10) };

    public static Task<JsonObject> CreatePayin(string key, JsonObject payin) => Post("/payins", key, payin);

    public static Task<JsonObject> CreatePayout(string key, JsonObject payout) => Post("/payouts", key, payout);

    /// <summary>
    /// Sends a call. If no answer comes, or a 5xx, the gateway may or may not have done it. The call is then
    /// sent again with the same key: the gateway answers with the first outcome and creates nothing twice.
    /// </summary>
    private static async Task<JsonObject> Post(string path, string key, JsonObject body)
    {
        Exception? failure = null;
        foreach (var pause in PausesMs)
        {
            await Task.Delay(pause);
            try
            {
                using var request = CreateRequest(path, key, body);
                using var response = await Client.SendAsync(request);
                var answer = await response.Content.ReadAsStringAsync();
                if (response.IsSuccessStatusCode) return JsonNode.Parse(answer)!.AsObject();
                failure = new HttpRequestException($"{path}: {(int)response.StatusCode} {answer}");
                if ((int)response.StatusCode < 500) break; // refused: the same call would be refused again
            }
            catch (Exception error) when (
                error is HttpRequestException or TaskCanceledException or IOException or JsonException)
            {
                failure = error;
            }
        }
        throw failure!;
    }

    private static HttpRequestMessage CreateRequest(string path, string key, JsonObject body)
    {
        var baseUrl = Environment.GetEnvironmentVariable("PIX_SANDBOX_BASE_URL");
        var request = new HttpRequestMessage(HttpMethod.Post, baseUrl + path)
        {
            Content = new StringContent(body.ToJsonString(), Encoding.UTF8, "application/json"),
        };
        request.Headers.Add("x-api-token", Environment.GetEnvironmentVariable("PIX_SANDBOX_TOKEN"));
        request.Headers.Add("x-provider-id", "1");
        request.Headers.Add("x-provider", "My Shop");
        request.Headers.Add("x-country-code", "BR");
        request.Headers.Add("x-idempotency-key", key);
        return request;
    }
}
