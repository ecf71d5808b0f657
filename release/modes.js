// Gives what `npm pack` reads the modes of an ordinary checkout, so that the tarball is the same under each umask.
import { execFileSync } from "node:child_process";
import { chmodSync, statSync } from "node:fs";

const { npm_execpath: npm = "" } = process.env;
const list = ["pack", "--dry-run", "--json", "--ignore-scripts"];
const [{ files }] = JSON.parse(execFileSync(process.execPath, [npm, ...list], { stdio: "pipe" }));
for (const { path } of files) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
