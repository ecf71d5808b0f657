import { describeMerchants } from "../../merchants/matrix.ts";

// One that traffic shows, one that a probe shows, one that an effect shows; test/long/merchants.test.ts has all.
describeMerchants([
  "payout_new_key_after_failure",
  "signature_not_checked",
  "duplicate_acts_twice",
]);
