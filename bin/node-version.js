"use strict";
// Every entry of the package loads this first. It uses no newer syntax than the oldest Node that may run it.
var version = process.versions.node.split(".").map(Number);
var major = version[0];
var minor = version[1];
if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12))
  throw new Error(
    "pix-sandbox needs Node.js 20.19 or newer in version 20, or 22.12 or newer; this is " +
      process.versions.node +
      ". Get a newer one from https://nodejs.org.",
  );
