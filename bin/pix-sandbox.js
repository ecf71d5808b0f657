#!/usr/bin/env node
// Nothing here may need a newer Node than the one that is to be refused in plain words.
var found = process.versions.node.split(".").map(Number);
if (found[0] < 20 || (found[0] === 20 && found[1] < 19)) {
  process.stderr.write(
    "pix-sandbox needs Node.js 20.19 or newer; this is " +
      process.versions.node +
      ". Get a newer one from https://nodejs.org.\n",
  );
  process.exit(1);
} else {
  import("../dist/cli.js").then(
    function (cli) {
      return cli.run();
    },
    function (error) {
      if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
      process.stderr.write("pix-sandbox is not built yet; build it with: npm run build\n");
      process.exitCode = 1;
    },
  );
}
