const assert = require("node:assert/strict");
const { test } = require("node:test");
const { useSandbox } = require("pix-sandbox/node-test");

test("works in CommonJS", async (t) => {
  const { integration } = await useSandbox(t);
  assert.deepEqual(await integration.payins.list(), []);
  await integration.payins.create();
});
