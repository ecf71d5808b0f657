// The main script of the single executable: unpacks the package once into the user's cache folder, and starts it there.
"use strict";
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const { createRequire } = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { getRawAsset } = require("node:sea");
const { gunzipSync } = require("node:zlib");

const blob = Buffer.from(getRawAsset("package"));
const folder = path.join(
  cacheFolder(),
  "pix-sandbox",
  createHash("sha256").update(blob).digest("hex").slice(0, 32),
);
const files = path.join(folder, "files.json");
if (!isWhole()) unpack();
const program = path.join(folder, "bin", "pix-sandbox.js");
createRequire(program)(program);

function cacheFolder() {
  const home = os.homedir();
  if (process.platform === "win32")
    return process.env["LOCALAPPDATA"] || path.join(home, "AppData", "Local");
  if (process.platform === "darwin") return path.join(home, "Library", "Caches");
  return process.env["XDG_CACHE_HOME"] || path.join(home, ".cache");
}

/** Whether all files are there, in a folder that only this user may write. */
function isWhole() {
  try {
    const { uid, mode } = fs.lstatSync(folder);
    if (process.getuid && (uid !== process.getuid() || (mode & 0o022) !== 0)) return false;
    const sizes = JSON.parse(fs.readFileSync(files, "utf8"));
    return Object.entries(sizes).every(
      ([name, size]) => fs.statSync(path.join(folder, name)).size === size,
    );
  } catch {
    return false;
  }
}

/** Another process may do the same: each works in a folder of its own, and the first one that is complete stays. */
function unpack() {
  fs.mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  const own = fs.mkdtempSync(`${folder}-`);
  const sizes = {};
  for (const [name, text] of Object.entries(JSON.parse(gunzipSync(blob)))) {
    const bytes = Buffer.from(text, "base64");
    sizes[name] = bytes.length;
    fs.mkdirSync(path.dirname(path.join(own, name)), { recursive: true });
    fs.writeFileSync(path.join(own, name), bytes);
  }
  fs.writeFileSync(path.join(own, "files.json"), JSON.stringify(sizes));
  try {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(own, folder);
  } catch (error) {
    fs.rmSync(own, { recursive: true, force: true });
    if (!isWhole()) throw error;
  }
}
