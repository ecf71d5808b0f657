// Makes one executable of this Node and the built package: `npm run package:sea [-- folder]`.
import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { inject } from "postject";

const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const isWindows = process.platform === "win32";
const target = path.resolve(
  process.argv[2] ?? "release/out",
  isWindows ? "pix-sandbox.exe" : "pix-sandbox",
);
const work = await mkdtemp(path.join(os.tmpdir(), "pix-sandbox-sea-"));

// The files that npm would pack, in its order.
const npm = ["pack", "--dry-run", "--json", "--ignore-scripts"];
const [{ files }] = JSON.parse(
  execFileSync("npm", npm, {
    encoding: "utf8",
    shell: isWindows,
    stdio: ["ignore", "pipe", "ignore"],
  }),
);
const contents = {};
for (const { path: name } of files)
  if (!name.endsWith(".d.ts") && !name.endsWith(".d.cts"))
    contents[name] = (await readFile(name)).toString("base64");
await writeFile(path.join(work, "package.gz"), gzipSync(JSON.stringify(contents), { level: 9 }));
await writeFile(
  path.join(work, "config.json"),
  JSON.stringify({
    main: path.resolve("release/executable-main.cjs"),
    output: path.join(work, "blob"),
    disableExperimentalSEAWarning: true,
    assets: { package: path.join(work, "package.gz") },
  }),
);
execFileSync(process.execPath, ["--experimental-sea-config", path.join(work, "config.json")]);
await mkdir(path.dirname(target), { recursive: true });
await rm(target, { force: true });
await copyFile(process.execPath, target);
await chmod(target, 0o755);
if (process.platform === "darwin") execFileSync("codesign", ["--remove-signature", target]);
await inject(target, "NODE_SEA_BLOB", await readFile(path.join(work, "blob")), {
  sentinelFuse: FUSE,
  ...(process.platform === "darwin" && { machoSegmentName: "NODE_SEA" }),
});
if (process.platform === "darwin") execFileSync("codesign", ["--sign", "-", target]);

// How long a start takes, the first with an empty cache.
const env = { ...process.env, XDG_CACHE_HOME: work, LOCALAPPDATA: work };
const [first, second] = ["first", "second"].map(() => {
  const startedAt = performance.now();
  execFileSync(target, ["--version"], { env });
  return Math.round(performance.now() - startedAt);
});
const { size } = await stat(target);
process.stdout.write(
  `${target}: ${(size / 1e6).toFixed(1)} MB; --version takes ${first} ms, and ${second} ms from then on.\n`,
);
await rm(work, { recursive: true, force: true });
