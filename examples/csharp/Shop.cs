using System.Text.Json.Nodes;

/// <summary>A shop that sells with Pix.</summary>
public static class Shop
{
    public static WebApplication Create(string address)
    {
        var builder = WebApplication.CreateBuilder();
        builder.WebHost.UseUrls(address);
        builder.WebHost.ConfigureKestrel(options => options.Limits.MaxRequestBodySize = 1024 * 1024);
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        var shop = builder.Build();
        var payments = new Payments();

        string WebhookUrl() =>
            (Environment.GetEnvironmentVariable("SHOP_URL") ?? shop.Urls.First()) + "/webhooks/pix";

        // The order's number is the idempotency key: the same order sent twice creates one charge.
        shop.MapPost("/orders", async (HttpRequest request) =>
        {
            var payin = (await request.ReadFromJsonAsync<JsonObject>())!;
            var key = $"order-{payin["number"]}";
            payin.Remove("number");
            payin["webhook_url"] = WebhookUrl();
            var created = await Gateway.CreatePayin(key, payin);
            var (id, qrCode) = ((string)created["id"]!, (string)created["qr_code"]!);
            payments.Add(id, (decimal)payin["value"]!);
            return Results.Json(new { id, qr_code = qrCode }, statusCode: 201);
        });

        async Task<string> SendPayout(Invoice invoice)
        {
            var created = await Gateway.CreatePayout(invoice.Key, invoice.Payout);
            var id = (string)created["id"]!;
            payments.AddPayout(id, invoice);
            return id;
        }

        // Sends a canceled payout again once. If that one is canceled too, the next POST /payouts sends another.
        void SendAgain(Invoice invoice)
        {
            if (invoice.Attempt != 2) return;
            _ = Task.Run(async () =>
            {
                try
                {
                    await SendPayout(invoice);
                }
                catch (Exception error)
                {
                    Console.Error.WriteLine(error);
                }
            });
        }

        shop.MapPost("/payouts", async (HttpRequest request) =>
        {
            var payout = (await request.ReadFromJsonAsync<JsonObject>())!;
            var number = $"{payout["invoice"]}";
            payout.Remove("invoice");
            payout["webhook_url"] = WebhookUrl();
            var id = await SendPayout(payments.StoreInvoice(number, payout));
            return Results.Json(new { id }, statusCode: 201);
        });

        shop.MapGet("/payments/{id}", (string id) =>
            payments.History(id) is { } history ? Results.Json(history) : Results.NotFound());

        shop.MapPost("/webhooks/pix", async (HttpRequest request) =>
        {
            // The signature covers the bytes as they were sent: verify first, parse then.
            using var buffer = new MemoryStream();
            await request.Body.CopyToAsync(buffer);
            var body = buffer.ToArray();
            var id = request.Headers["webhook-id"].ToString();
            var timestamp = request.Headers["webhook-timestamp"].ToString();
            var signatures = request.Headers["webhook-signature"].ToString();
            var secret = Environment.GetEnvironmentVariable("PIX_SANDBOX_SECRET")!;
            if (!Webhook.IsGenuine(body, id, timestamp, signatures, secret, DateTimeOffset.UtcNow))
                return Results.StatusCode(400);
            // A webhook can arrive before CreatePayin() returns: after a 404 the gateway sends it again.
            // Answer at once; slow work, such as sending e-mail, comes later.
            var isKnown = payments.Apply(id, JsonNode.Parse(body)!, SendAgain);
            return Results.StatusCode(isKnown ? 200 : 404);
        });

        return shop;
    }
}
