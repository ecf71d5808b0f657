import { open, Shop } from "./shop.js";

class Merchant extends Shop {
  /** Even this one gives up: a test has to end. */
  maxAttempts = 12;

  /** Requests a canceled payout again at once, though the reason for its cancellation lasts. */
  isBusyWith() {
    return false;
  }
}

open(Merchant);
