if (args.Contains("test")) return await ShopTest.Run();
var port = Environment.GetEnvironmentVariable("PORT") ?? "3000";
await Shop.Create($"http://127.0.0.1:{port}").RunAsync();
return 0;
