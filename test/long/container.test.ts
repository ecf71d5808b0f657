import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createGzip } from "node:zlib";
import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../support/process.ts";
import { type Image, openImage } from "./image.ts";
import { lacks } from "../support/lacks.ts";

describe.skipIf(lacks("root"))("the image", { timeout: 120_000 }, () => {
  let image: Image;
  beforeAll(async () => {
    image = await openImage();
  }, 120_000);
  afterAll(() => image[Symbol.asyncDispose]());

  it("has less than 80 MB, compressed", async () => {
    const tar = spawn("tar", ["-C", image.path, "-cf", "-", "."]);
    let bytes = 0;
    for await (const chunk of tar.stdout.pipe(createGzip())) bytes += (chunk as Buffer).length;
    expect(bytes).toBeLessThan(80e6);
  });

  it("serves as a user without rights, writes nothing, and is found healthy", async () => {
    const port = await freePort();
    const before = await writable(image.path);
    await using serving = image.start([...image.entry, ...image.command], port);
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    expect(await image.run(image.healthCheck, port)).toMatchObject({ code: 0 });
    const triggered = await image.run([...image.entry, "trigger", "payin.paid"], port);
    expect(triggered).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("verified: ") as string,
    });
    expect(await writable(image.path)).toEqual(before);
    expect((await image.run(["/usr/bin/node", "-p", "process.getuid()"], port)).stdout).toBe(
      "65532\n",
    );
  });

  it("stores a state in its volume", async () => {
    const port = await freePort();
    const command = [...image.entry, "serve", "--state", "/data/state.json"];
    {
      await using serving = image.start(command, port);
      await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
      expect(await image.run([...image.entry, "payin", "create"], port)).toMatchObject({ code: 0 });
    }
    await using again = image.start(command, port);
    await again.lines("stderr", 1, (line) => line.startsWith("Ready"));
    expect((await image.run([...image.entry, "payin", "list", "--json"], port)).stdout).toMatch(
      /"status":"waiting"/,
    );
  });

  it("says that localhost is the container", async () => {
    await writeFile(path.join(image.path, ".dockerenv"), "");
    const port = await freePort();
    await using serving = image.start(
      [...image.entry, "serve", "--memory", "--assume", "webhook.retries=none"],
      port,
    );
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    await image.run(
      [...image.entry, "trigger", "payin.paid", "--webhook-url", "http://localhost:9/hook"],
      port,
    );
    const [advice] = await serving.lines("stderr", 1, (line) => line.startsWith("!!"));
    expect(advice).toContain("--webhook-host-rewrite localhost=host.docker.internal");
  });
});

/** The files of the image, without those of its volume and of its folder for temporary files. */
async function writable(image: string): Promise<string[]> {
  const files = await readdir(image, { recursive: true });
  return files.filter((name) => !/^(?:data|tmp)\//.test(name.split(path.sep).join("/"))).toSorted();
}
