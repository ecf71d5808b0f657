import { shop } from "./shop.js";

process.env.SHOP_URL ??= "http://127.0.0.1:3000";
shop.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
