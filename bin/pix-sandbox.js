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
  void import("../dist/cli.js").then(function (cli) {
    return cli.run();
  });
}
