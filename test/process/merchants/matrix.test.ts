import { describeMerchants } from "../../merchants/matrix.ts";

// Those that traffic, a probe and an effect show, and of whose rules check.test.ts beside this has no merchant;
// test/long/merchants.test.ts has all.
describeMerchants([
  "payout_new_key_after_failure",
  "webhook_answer_not_200",
  "duplicate_refused",
  "duplicate_acts_twice",
  "older_event_overwrites",
  "signature_not_checked",
]);
