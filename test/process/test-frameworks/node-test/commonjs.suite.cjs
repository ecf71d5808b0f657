const assert = require("node:assert/strict");
const { after, before, beforeEach, test } = require("node:test");
const { useSandbox } = require("pix-sandbox");

const used = useSandbox({ before, beforeEach, after });

test("works in CommonJS", async () => {
  assert.deepEqual(await used.integration.payins.list(), []);
  await used.integration.payins.create();
});
