import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { freePort, startProcess } from "../support/process.ts";
import { npm } from "./consumers/project.ts";
import { CHROOT, type Image, openImage } from "./image.ts";
import { lacks } from "../support/lacks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LIMIT_S = 60;

/** From a system on which nothing was installed, to a webhook whose signature was verified, in two commands. */
describe.skipIf(lacks("the long form", "root", "debootstrap"))(
  "a clean system",
  { timeout: 300_000 },
  () => {
    let folder: Awaited<ReturnType<typeof createFolder>>;
    let image: Image;
    const debian = (): string => folder.at("debian");

    beforeAll(async () => {
      folder = await createFolder();
      const bootstrap = ["--variant=minbase", "bookworm", debian()];
      // A second attempt goes on with what the first one has downloaded.
      if (spawnSync("debootstrap", bootstrap, { stdio: "ignore" }).status !== 0)
        execFileSync("debootstrap", bootstrap, { stdio: "pipe" });
      await npm(folder.path, "pack", "--ignore-scripts", ROOT);
      image = await openImage();
    }, 300_000);
    afterAll(async () => {
      await image?.[Symbol.asyncDispose]();
      await folder?.[Symbol.asyncDispose]();
    });

    const run = async (command: string, port: number) => {
      const given = {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: "/root",
        PIX_SANDBOX_PORT: String(port),
        PIX_SANDBOX_URL: `http://127.0.0.1:${port}`,
      };
      const variables = Object.entries(given).map(([name, value]) => `${name}=${value}`);
      const shell = [CHROOT, debian(), "sh", "-c", `cd /root && exec ${command}`];
      await using program = startProcess("env", ["-i", ...variables, ...shell]);
      return await program.ended;
    };
    const record = (system: string, sinceMs: number): void => {
      const seconds = (performance.now() - sinceMs) / 1000;
      process.stdout.write(`${system}: ${seconds.toFixed(1)} s to a verified webhook\n`);
      expect(seconds).toBeLessThan(LIMIT_S);
    };
    const verified = {
      code: 0,
      stdout: expect.stringContaining("verified: the signature is valid") as string,
    };

    it("has the package, and Node.js and npm as the registry of npm has them", async () => {
      const usr = path.join(debian(), "usr/local");
      const [major = ""] = process.versions.node.split(".");
      for (const [name, at] of [
        [`node-linux-${process.arch}@${major}`, "node"],
        ["npm@11", "lib/node_modules/npm"],
      ] as const) {
        const before = await readdir(folder.path);
        await npm(folder.path, "pack", name);
        const tarball = (await readdir(folder.path)).find((file) => !before.includes(file)) ?? "";
        await mkdir(path.join(usr, at), { recursive: true });
        const to = ["-C", path.join(usr, at), "--strip-components=1"];
        execFileSync("tar", ["-xzf", folder.at(tarball), ...to]);
      }
      const scripts = `cd /usr/local/bin && ln -s ../node/bin/node node && for name in npm npx; do
      printf '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/%s-cli.js "$@"\n' $name > $name && chmod +x $name
    done`;
      execFileSync(CHROOT, [debian(), "sh", "-c", scripts]);
      const tarball = (await readdir(folder.path)).find((file) => file.startsWith("pix-sandbox-"));
      await rename(folder.at(tarball ?? ""), path.join(debian(), "root/pix-sandbox.tgz"));

      const port = await freePort();
      const since = performance.now();
      expect(await run("npm install ./pix-sandbox.tgz", port)).toMatchObject({ code: 0 });
      const both = "npx pix-sandbox exec -- npx pix-sandbox trigger payin.paid";
      expect(await run(both, port)).toMatchObject(verified);
      record("The package in a bare Debian with Node.js and npm", since);
    });

    it("is the file system of the container", async () => {
      expect(existsSync(path.join(image.path, "bin/sh"))).toBe(false);
      const port = await freePort();
      const since = performance.now();
      await using serving = image.start([...image.entry, ...image.command], port);
      await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
      const triggered = await image.run([...image.entry, "trigger", "payin.paid"], port);
      expect(triggered).toMatchObject(verified);
      record("The container's file system", since);
    });
  },
);
