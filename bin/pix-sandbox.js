#!/usr/bin/env node
"use strict";
// Starts the command line, unless Node is too old for it: node-version.js throws a sentence that says so.
try {
  // oxlint-disable-next-line import/no-unassigned-import
  require("./node-version.js");
} catch (error) {
  process.stderr.write(error.message + "\n");
  process.exit(1);
}
try {
  var main = require.resolve("../dist/chunks/cli.cjs");
  var loadWithCodeCache = require("./code-cache.js").loadWithCodeCache;
  // The folder that only those who install the program may write.
  void loadWithCodeCache(main, require("node:path").join(__dirname, "../dist/code-cache")).run();
} catch (error) {
  if (error.code !== "MODULE_NOT_FOUND") throw error;
  process.stderr.write("pix-sandbox is not built yet; build it with: npm run build\n");
  process.exitCode = 1;
}
