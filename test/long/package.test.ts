import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { startProcess } from "../support/process.ts";
import { npm } from "./consumers/project.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ATTW = fileURLToPath(
  new URL("node_modules/@arethetypeswrong/cli/dist/index.js", import.meta.url),
);

it("the package has types that fit each way of loading it", { timeout: 120_000 }, async () => {
  await using folder = await createFolder();
  // Without scripts: they would build dist again while other tests use it.
  await npm(folder.path, "pack", "--ignore-scripts", ROOT);
  const [tarball = ""] = await readdir(folder.path);
  const args = [ATTW, tarball, "--format", "ascii", "--no-emoji"];
  await using attw = startProcess(process.execPath, args, { cwd: folder.path });
  const { code, stdout } = await attw.ended;
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining("No problems found") as string,
  });
});

it(
  "the package is the same, byte for byte, from two builds with two umasks",
  { timeout: 180_000 },
  async () => {
    const files = execFileSync(
      "git",
      ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
      { cwd: ROOT, encoding: "utf8" },
    ).split("\0");
    const packed = async (umask: number): Promise<string> => {
      await using folder = await createFolder();
      for (const file of files.filter((name) => name !== "" && !name.startsWith("test/"))) {
        await mkdir(path.dirname(folder.at(file)), { recursive: true });
        await cp(path.join(ROOT, file), folder.at(file));
        await chmod(folder.at(file), (await stat(path.join(ROOT, file))).mode & ~umask);
      }
      await symlink(path.join(ROOT, "node_modules"), folder.at("node_modules"), "junction");
      const command = `umask ${umask.toString(8)} && npm pack --silent`;
      execFileSync("sh", ["-c", command], { cwd: folder.path, stdio: "pipe" });
      const tarball = (await readdir(folder.path)).find((name) => name.endsWith(".tgz")) ?? "";
      return createHash("sha512")
        .update(await readFile(folder.at(tarball)))
        .digest("hex");
    };
    expect(await packed(0o077)).toBe(await packed(0o022));
  },
);

interface Bill {
  readonly components: readonly { readonly name: string; readonly version?: string }[];
}

it("the bill of materials is CycloneDX, and names each package with a license", async () => {
  const schemas = new URL("node_modules/@cyclonedx/cyclonedx-library/res/schema/", import.meta.url);
  const read = async <T>(url: URL): Promise<T> => JSON.parse(await readFile(url, "utf8")) as T;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["spdx", "jsf-0.82", "cryptography-defs"]) {
    const file = `${name}.SNAPSHOT.schema.json`;
    const schema = await read<{ $id?: string }>(new URL(file, schemas));
    ajv.addSchema({ ...schema, $id: `http://cyclonedx.org/schema/${file}` });
  }
  const check = ajv.compile(await read(new URL("bom-1.6.SNAPSHOT.schema.json", schemas)));
  const bill = await read<Bill>(new URL("../../dist/sbom.cdx.json", import.meta.url));
  expect([check(bill), check.errors]).toEqual([true, null]);
  expect(check({ ...bill, bomFormat: "SPDX" })).toBe(false);

  const licenses = await readFile(path.join(ROOT, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  const named = [...licenses.matchAll(/^([a-z@]\S*)(?: (\d\S+))? \(.*\)\n$/gm)];
  expect(bill.components.map(({ name, version }) => [name, version])).toEqual(
    named.map(([, name, version]) => [name, version]),
  );
  expect(bill.components.length).toBeGreaterThan(25);
});
