import { describeManyDeliveries } from "../support/many-deliveries.ts";

const { PIX_DELIVERIES, PIX_TEST_LONG } = process.env;

/** PIX_DELIVERIES=10000 makes a longer run. */
const count = Number(PIX_DELIVERIES ?? (PIX_TEST_LONG === "short" ? 1000 : 3000));

describeManyDeliveries({ count, receivers: 1000 });
