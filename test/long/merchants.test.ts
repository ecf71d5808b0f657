import { RULE_IDS } from "../../src/review/rules.ts";
import { describeGoodMerchant } from "../merchants/good.ts";
import { describeMerchants } from "../merchants/matrix.ts";

const IS_SHORT = process.env["PIX_TEST_LONG"] === "short";

describeMerchants(RULE_IDS.filter((_id, index) => !IS_SHORT || index % 4 === 0));

describeGoodMerchant(["real"]);
