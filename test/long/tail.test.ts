import { describeKilledTails } from "../support/killed-tails.ts";

describeKilledTails(
  process.env["PIX_TEST_LONG"] === "short"
    ? { deliveries: 150, kills: 3 }
    : { deliveries: 1000, kills: 10 },
);
