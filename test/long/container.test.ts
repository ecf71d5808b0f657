import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createGzip } from "node:zlib";
import { fileURLToPath } from "node:url";
import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { type Ended, freePort, type Program, startProcess } from "../support/process.ts";
import { npm } from "./consumers/project.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CHROOT = "/usr/sbin/chroot";
/** Only root may run a program in another file system. */
const canChroot = existsSync(CHROOT) && process.getuid?.() === 0;

const dockerfile = await readFile("Dockerfile", "utf8");
/** The words of an instruction of the Dockerfile; JSON where it is JSON. */
const instruction = (name: string): string =>
  new RegExp(`^${name} (.*)$`, "m").exec(dockerfile)?.[1] ?? "";
const listed = (text: string): string[] => JSON.parse(text) as string[];

/** No container engine is needed: the file system is built by the Dockerfile's own script, and entered as its user. */
describe.skipIf(!canChroot)("the image", { timeout: 120_000 }, () => {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    folder = await createFolder();
    await npm(folder.path, "pack", "--ignore-scripts", ROOT);
    const [, build = ""] = /^RUN (sh release\/image\.sh .*)$/m.exec(dockerfile) ?? [];
    const [tarball = ""] = (await readdir(folder.path)).filter((name) => name.endsWith(".tgz"));
    await mkdir(folder.at("image"));
    const script = build
      .replace(" /image ", ` ${folder.at("image")} `)
      .replace(/\S+\.tgz/, folder.at(tarball));
    await using built = startProcess("sh", ["-e", "-c", script], { cwd: ROOT });
    const { code, stderr } = await built.ended;
    if (code !== 0) throw new Error(`The image's script ended with ${code}: ${stderr}`);
  }, 120_000);
  afterAll(() => folder[Symbol.asyncDispose]());

  /** Starts a command in the image, as its user and with its variables. */
  const start = (command: readonly string[], port: number): Program => {
    const given = instruction("ENV").split(" ");
    const variables = [
      ...given,
      `PIX_SANDBOX_PORT=${port}`,
      `PIX_SANDBOX_URL=http://127.0.0.1:${port}`,
    ];
    const user = `--userspec=${instruction("USER")}`;
    return startProcess("env", ["-i", ...variables, CHROOT, user, folder.at("image"), ...command]);
  };
  const run = async (command: readonly string[], port: number): Promise<Ended> => {
    await using program = start(command, port);
    return await program.ended;
  };
  const entry = listed(instruction("ENTRYPOINT"));

  it("has less than 80 MB, compressed", async () => {
    const tar = spawn("tar", ["-C", folder.at("image"), "-cf", "-", "."]);
    let bytes = 0;
    for await (const chunk of tar.stdout.pipe(createGzip())) bytes += (chunk as Buffer).length;
    expect(bytes).toBeLessThan(80e6);
  });

  it("serves as a user without rights, writes nothing, and is found healthy", async () => {
    const port = await freePort();
    const before = await writable(folder.at("image"));
    await using serving = start([...entry, ...listed(instruction("CMD"))], port);
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    const [, check = ""] = /HEALTHCHECK .* CMD (\[.*\])/.exec(dockerfile) ?? [];
    expect(await run(listed(check), port)).toMatchObject({ code: 0 });
    const triggered = await run([...entry, "trigger", "payin.paid"], port);
    expect(triggered).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("verified: ") as string,
    });
    expect(await writable(folder.at("image"))).toEqual(before);
    expect((await run(["/usr/bin/node", "-p", "process.getuid()"], port)).stdout).toBe("65532\n");
  });

  it("stores a state in its volume", async () => {
    const port = await freePort();
    const command = [...entry, "serve", "--state", "/data/state.json"];
    {
      await using serving = start(command, port);
      await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
      expect(await run([...entry, "payin", "create"], port)).toMatchObject({ code: 0 });
    }
    await using again = start(command, port);
    await again.lines("stderr", 1, (line) => line.startsWith("Ready"));
    expect((await run([...entry, "payin", "list", "--json"], port)).stdout).toMatch(
      /"status":"waiting"/,
    );
  });

  it("says that localhost is the container", async () => {
    await writeFile(folder.at("image/.dockerenv"), "");
    const port = await freePort();
    await using serving = start(
      [...entry, "serve", "--memory", "--assume", "webhook.retries=none"],
      port,
    );
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    await run(
      [...entry, "trigger", "payin.paid", "--webhook-url", "http://localhost:9/hook"],
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
