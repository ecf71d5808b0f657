import { RULE_IDS } from "../../src/review/rules.ts";
import { describeMerchants } from "../merchants/matrix.ts";

const IS_SHORT = process.env["PIX_TEST_LONG"] === "short";

describeMerchants(RULE_IDS.filter((_id, index) => !IS_SHORT || index % 3 === 0));
