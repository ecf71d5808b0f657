import { mkdir, readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createFolder } from "../support/folder.ts";
import { type Ended, type Program, startProcess } from "../support/process.ts";
import { npm } from "./consumers/project.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const CHROOT = "/usr/sbin/chroot";

const dockerfile = await readFile("Dockerfile", "utf8");
/** The words of an instruction of the Dockerfile; JSON where it is JSON. */
const instruction = (name: string): string =>
  new RegExp(`^${name} (.*)$`, "m").exec(dockerfile)?.[1] ?? "";
const listed = (text: string): string[] => JSON.parse(text) as string[];

/** The image's file system, built without a container engine by the Dockerfile's own script, and entered as its user. */
export interface Image extends AsyncDisposable {
  readonly path: string;
  readonly entry: readonly string[];
  /** What the image runs by default. */
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  /** Starts a command in the image, as its user and with its variables. */
  start(command: readonly string[], port: number): Program;
  run(command: readonly string[], port: number): Promise<Ended>;
}

export async function openImage(): Promise<Image> {
  const folder = await createFolder();
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
  return {
    path: folder.at("image"),
    entry: listed(instruction("ENTRYPOINT")),
    command: listed(instruction("CMD")),
    healthCheck: listed(/HEALTHCHECK .* CMD (\[.*\])/.exec(dockerfile)?.[1] ?? "[]"),
    start,
    async run(command, port) {
      await using program = start(command, port);
      return await program.ended;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
