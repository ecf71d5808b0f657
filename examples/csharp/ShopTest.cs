using System.Text;
using System.Text.Json.Nodes;

/// <summary>Plain tests, started with "dotnet run -- test".</summary>
public static class ShopTest
{
    private static readonly HttpClient Client = new();
    private static string shopUrl = "";

    /// <summary>Returns the process's exit code: 1 if a test fails.</summary>
    public static async Task<int> Run()
    {
        var shop = Shop.Create("http://127.0.0.1:0");
        await shop.StartAsync();
        shopUrl = shop.Urls.First();
        var tests = new (string Name, Func<Task> Run)[]
        {
            ("a paid order is marked as paid", PaidOrder),
            ("a repeated webhook changes nothing", RepeatedWebhook),
            ("a webhook with a wrong signature is refused", WrongSignature),
            ("a payout whose answer is lost is sent once", LostAnswer),
            ("a signature is valid for its bytes, for five minutes", Signature),
        };
        var failed = 0;
        foreach (var test in tests)
        {
            try
            {
                await test.Run();
                Console.WriteLine($"ok - {test.Name}");
            }
            catch (Exception error)
            {
                failed++;
                Console.WriteLine($"not ok - {test.Name}\n{error}");
            }
        }
        return failed == 0 ? 0 : 1;
    }

    private static async Task PaidOrder()
    {
        var order = await CreateOrder("1001");
        Equal("000201", ((string)order["qr_code"]!).Substring(0, 6));
        await Sandbox(HttpMethod.Post, $"/payins/{order["id"]}/pay");
        await Sandbox(HttpMethod.Get, $"/wait?type=payin.paid&transaction_id={order["id"]}");
        Equal("waiting, paid", await HistoryOf(order["id"]));
    }

    private static async Task RepeatedWebhook()
    {
        var id = (await CreateOrder("1002"))["id"];
        await Sandbox(HttpMethod.Post, "/faults", """{"on":"webhook","effect":"duplicate_at_once","times":1}""");
        await Sandbox(HttpMethod.Post, $"/payins/{id}/pay");
        await Sandbox(HttpMethod.Post, "/settle"); // until both have been answered
        var delivery = await Sandbox(HttpMethod.Get, $"/wait?type=payin.paid&transaction_id={id}");
        var resent = await Sandbox(HttpMethod.Post, $"/deliveries/{delivery["id"]}/resend");
        Equal("200, 200, 200", All(resent["attempts"], "status"));
        Equal("waiting, paid", await HistoryOf(id));
    }

    private static async Task WrongSignature()
    {
        var id = (await CreateOrder("1003"))["id"];
        await Sandbox(HttpMethod.Post, "/faults", """{"on":"webhook","effect":"bad_signature","times":1}""");
        await Sandbox(HttpMethod.Post, $"/payins/{id}/pay");
        await Sandbox(HttpMethod.Post, "/settle");
        var page = await Sandbox(HttpMethod.Get, $"/deliveries?transaction_id={id}");
        Equal("400", page["data"]![0]!["attempts"]![0]!["status"]!.ToString());
        Equal("waiting", await HistoryOf(id));
    }

    private static async Task LostAnswer()
    {
        await Sandbox(HttpMethod.Post, "/faults", """{"on":"payouts.create","effect":"lost_answer","times":1}""");
        var payout = await Call(HttpMethod.Post, shopUrl + "/payouts", """
            {
              "invoice": "2001",
              "value": 25,
              "receiver_cpf": "52998224725",
              "receiver_name": "João Souza",
              "receiver_email": "joao@example.com",
              "pix_key": "52998224725",
              "pix_key_type": "cpf"
            }
            """);
        var id = payout["id"];
        Equal($"{id}", All((await Sandbox(HttpMethod.Get, "/payouts"))["data"], "id"));
        await Sandbox(HttpMethod.Post, $"/payouts/{id}/complete");
        await Sandbox(HttpMethod.Get, $"/wait?type=payout.completed&transaction_id={id}");
        Equal("waiting, completed", await HistoryOf(id));
    }

    private static Task Signature()
    {
        const string body = """{"test": 2432232314}""";
        Equal(true, IsGenuine(body, 1614265330));
        Equal(true, IsGenuine(body, 1614265330 + 300));
        Equal(false, IsGenuine(body, 1614265330 + 301));
        Equal(false, IsGenuine(body, 1614265330 - 301));
        Equal(false, IsGenuine("""{"test":2432232314}""", 1614265330));
        Equal(false, Webhook.IsGenuine(Array.Empty<byte>(), "", "", "", "whsec_", DateTimeOffset.UtcNow));
        return Task.CompletedTask;
    }

    private static bool IsGenuine(string body, long now) =>
        Webhook.IsGenuine(
            Encoding.UTF8.GetBytes(body),
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            "v1,b2xk v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            DateTimeOffset.FromUnixTimeSeconds(now));

    private static Task<JsonNode> CreateOrder(string number)
    {
        var order = new JsonObject
        {
            ["number"] = number,
            ["value"] = 10.5,
            ["buyer_cpf"] = "12345678909",
            ["buyer_name"] = "Maria da Silva",
            ["buyer_email"] = "maria@example.com",
        };
        return Call(HttpMethod.Post, shopUrl + "/orders", order.ToJsonString());
    }

    private static async Task<string> HistoryOf(JsonNode? id) =>
        string.Join(", ", (await Call(HttpMethod.Get, $"{shopUrl}/payments/{id}")).AsArray());

    /// <summary>Calls a control route of the sandbox.</summary>
    private static Task<JsonNode> Sandbox(HttpMethod method, string path, string? body = null) =>
        Call(method, Environment.GetEnvironmentVariable("PIX_SANDBOX_URL") + "/_sandbox" + path, body);

    private static async Task<JsonNode> Call(HttpMethod method, string url, string? body = null)
    {
        using var request = new HttpRequestMessage(method, url);
        request.Headers.Add("x-api-token", Environment.GetEnvironmentVariable("PIX_SANDBOX_TOKEN"));
        if (body != null) request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        using var response = await Client.SendAsync(request);
        response.EnsureSuccessStatusCode();
        return JsonNode.Parse(await response.Content.ReadAsStringAsync())!;
    }

    /// <summary>The values that the objects of a list have under a name.</summary>
    private static string All(JsonNode? objects, string name) =>
        string.Join(", ", objects!.AsArray().Select(one => one![name]));

    private static void Equal<T>(T expected, T actual)
    {
        if (!Equals(expected, actual)) throw new Exception($"Expected {expected}, got {actual}");
    }
}
