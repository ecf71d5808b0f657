import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { createFolder } from "../../support/folder.ts";
import { inflatingPng, qrPicture, toPng } from "../../support/pictures.ts";
import { startProcess } from "../../support/process.ts";

/** Sends each picture to a sandbox in this process, closes it, and prints the statuses and the memory that it took. */
const PROGRAM = `
import { readFile } from "node:fs/promises";
const [index, ...files] = process.argv.slice(1);
const { startSandbox } = await import(index);
const sandbox = await startSandbox();
const headers = { "content-type": "image/png" };
const statuses = [];
for (const file of files) {
  const body = await readFile(file);
  const { status } = await fetch(sandbox.url + "/_sandbox/pay", { method: "POST", headers, body });
  statuses.push(status);
}
await sandbox.close();
const mebibytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ statuses, mebibytes }));
`;

it("refuses a picture whose data inflates to 2 GiB with little memory, and lets its process end", async () => {
  await using folder = await createFolder();
  await writeFile(folder.at("large.png"), inflatingPng());
  await writeFile(folder.at("other.png"), toPng(qrPicture("hello")));
  const index = new URL("../../../dist/index.js", import.meta.url).href;
  const files = [folder.at("large.png"), folder.at("other.png")];
  const args = ["--input-type=module", "--eval", PROGRAM, index, ...files];
  await using running = startProcess(process.execPath, args);
  const { code, stdout, stderr } = await running.ended;

  expect([code, stderr]).toEqual([0, ""]);
  const { statuses, mebibytes } = JSON.parse(stdout) as { statuses: number[]; mebibytes: number };
  expect(statuses).toEqual([413, 400]);
  expect(mebibytes).toBeLessThan(400);
});
