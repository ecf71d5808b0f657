import { describeGoodMerchant } from "../../merchants/good.ts";

// test/long/merchants.test.ts has the real clock.
describeGoodMerchant(["frozen"]);
