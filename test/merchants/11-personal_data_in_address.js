import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  webhookUrl({ buyer_email, receiver_cpf }) {
    return `${super.webhookUrl()}?who=${buyer_email ?? receiver_cpf}`;
  }
}

open(Merchant);
