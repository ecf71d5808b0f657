import { describeManyDeliveries } from "../../support/many-deliveries.ts";

// test/long/many-deliveries.test.ts has more.
describeManyDeliveries({ count: 300, receivers: 300 });
