import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { runMain, serveMain } from "../support/main.ts";
import { callsTo } from "../support/calls.ts";

const UNKNOWN_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";

/**
 * The commands of the tour, in order. `$SINK` is the sandbox's own receiver, `$FOLDER` a folder of the tour.
 * If a text is meant to change, `npx vitest run test/cli/tour.test.ts --update` writes what the commands print now.
 */
const COMMANDS: readonly string[] = [
  "ready",
  "secret",
  "clock",
  "payin list",
  "payout list",
  "webhooks list",
  "webhooks received",
  "requests",
  "faults",
  "snapshot list",
  "magic",
  "payin create --value 10.50 --webhook-url $SINK --description Tea",
  "payin create --value 11 --webhook-url $SINK --token shop --expiration 20 --generate-qrcode",
  "payin create --value 0",
  "payin list",
  "payin list --status waiting --token shop",
  "payin list --limit 1",
  "payin list --json",
  "payin show last",
  "payin show last --json",
  `payin show ${UNKNOWN_ID}`,
  "payin show ff",
  "payin pay last",
  "payin pay last",
  "payin create --webhook-url $SINK",
  "payin cancel last",
  "payin create --webhook-url $SINK",
  "payin expire last",
  "payin create --webhook-url $SINK",
  "simulate payin last",
  "simulate payin last --status canceled",
  "simulate payin last --json",
  "pay last",
  "payout create --value 25 --webhook-url $SINK",
  "payout create --value 26 --webhook-url $SINK",
  "payout list",
  "payout show last",
  "payout complete last",
  "payout create --value 27 --webhook-url $SINK --receiver-cpf 11144477735",
  "payout complete last",
  "simulate payout last",
  "payout create --value 28 --webhook-url $SINK",
  "payout cancel last",
  `payout show ${UNKNOWN_ID}`,
  "webhooks list",
  "webhooks list --status failed",
  "webhooks list --limit 1",
  "webhooks list --limit 1 --json",
  "webhooks list --type payin.paid --status delivered",
  "webhooks show last",
  "webhooks received",
  "webhooks resend last",
  "webhooks resend --all",
  "webhooks resend",
  "webhooks show evt_0123456789abcdef0123456789abcdef",
  "trigger payin.paid",
  "trigger payin.expired --webhook-url $SINK",
  "trigger payout.completed --webhook-url $SINK",
  "trigger payout.canceled --webhook-url $SINK",
  "trigger payment.received",
  "trigger payout.completed --json",
  "trigger payin.foo",
  "wait payin.paid",
  "wait payin.paid --id last --timeout 0",
  "wait payout.canceled --id last --timeout 0",
  "wait payout.paid --timeout 0",
  "clock advance 5m",
  "clock advance 0",
  "clock --json",
  "clock advance soon",
  "clock set 2026-02-01T00:00:00Z",
  "clock set 2020-01-01T00:00:00Z",
  "clock freeze",
  "clock",
  "faults add payouts.create error=EXTERNAL_ERROR --times 1",
  "faults add webhook duplicate --match buyer_cpf=12345678909 --probability 0.5",
  "faults add payins.create latency_ms=5 --token shop",
  "faults add payins.create nothing",
  "faults add nowhere hold",
  "faults",
  "payout create",
  "faults list",
  "faults list --json",
  "faults remove ff",
  "faults clear",
  "faults clear",
  "snapshot save first",
  "snapshot save first",
  "snapshot save --token shop mine",
  "snapshot list",
  "snapshot list --json",
  "snapshot restore first",
  "snapshot restore nothing",
  "snapshot delete mine --token shop",
  "snapshot delete nothing",
  "requests --limit 5",
  "requests --limit 1 --json",
  "report",
  "report --questions",
  "report --markdown",
  "report --junit $FOLDER/review.xml --fail-on error",
  "env",
  "env --plain",
  "env --as BASE_URL=PIX_API_URL --token shop",
  "reset --token shop",
  "reset",
  "payin list",
  "state copy $FOLDER/missing.json $FOLDER/copy.json",
  "state copy $FOLDER/broken.json $FOLDER/copy.json",
  "decode 00020126",
  "decode $FOLDER/missing.png",
  "webhooks verify $FOLDER/captured.http",
  "webhooks verify $FOLDER/missing.http",
  "serve --memory --port $PORT",
  "init",
  "payin",
  "payin lst",
  "pyin list",
  "payin list --limit 0",
  "payin list --limt 1",
  "payin show",
  "payin show a b",
  "serve --memory --state x.json",
  "serve --memory --now soon",
  "serve --memory --public-url nowhere?x=1",
  "serve --memory --tls-cert a.pem",
  "serve --memory --tls-key a.pem",
  "serve --memory --assume payout.rival",
  "serve --memory --assume nothing=1",
  "serve --memory --port 70000",
  "serve --memory --port $PORT",
  "serve --memory --fixtures $FOLDER/missing.json",
  "serve --memory --ready-file $FOLDER/missing/ready.json --port 0",
  "serve --config $FOLDER/missing.json",
  "serve --memory --assume credentials=listed",
  "serve --state $FOLDER/broken.json --port 0",
];

describe("a tour of the commands", { timeout: 120_000 }, () => {
  it("prints the same in every run", async () => {
    await using folder = await createFolder();
    const settings = "--memory --clock frozen --now 2026-01-01T12:00:00Z --seed 42";
    await using sandbox = await serveMain(settings.split(" "));
    await writeFile(folder.at("broken.json"), '{"version":');
    await writeFile(folder.at("captured.http"), "POST / HTTP/1.1\r\nhost: x\r\n\r\n{}");
    await writeFile(folder.at("package.json"), '{"name":"shop"}');
    const { port } = sandbox.ready;
    const known: readonly (readonly [string, string])[] = [
      ["$SINK", `${sandbox.url}/_sandbox/sink/tour`],
      ["$URL", sandbox.url],
      ["$PORT", String(port)],
      ["$FOLDER", folder.path],
    ];
    const fill = (text: string): string =>
      known.reduce((filled, [name, value]) => filled.replaceAll(name, value), text);
    const unfill = (text: string): string =>
      known.reduce((plain, [name, value]) => plain.replaceAll(value, name), text);
    await callsTo(sandbox.url, "sandbox").gateway("PUT", "/v1/webhooks", {
      webhook_url: fill("$SINK"),
      events: ["payment.received", "payment.failed"],
    });
    const pages: string[] = [];
    for (const command of COMMANDS) {
      const args = command.split(" ").map(fill);
      const { code, stdout, stderr } = await runMain(args, {
        cwd: folder.path,
        env: { PIX_SANDBOX_URL: sandbox.url },
      });
      pages.push(
        `$ pix-sandbox ${command}\n${stdout}${stderr && `--- stderr\n${stderr}`}--- ${code}\n`,
      );
    }
    const text = withoutReal(unfill(pages.join("\n"))).replaceAll(sandbox.secret, "SECRET");
    await expect(text).toMatchFileSnapshot("tour.txt");
  });
});

/** Replaces what differs from run to run: real times, durations, samples that are drawn, and process ids. */
function withoutReal(text: string): string {
  return text
    .replaceAll(/\b\d+ ms\b/g, "N ms")
    .replaceAll(/"duration_ms":[\d.]+/g, '"duration_ms":N')
    .replaceAll(/^(.*\S+ {2}frozen), .*$/gm, "$1, DISTANCE")
    .replaceAll(/(?!2026-0[12]-01T)20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "REAL")
    .replaceAll(/^(?:ID +(?:TIME|HORA)|req_\d+) .*$/gm, (line) => line.replaceAll(/ {2,}/g, "  "))
    .replaceAll(/^(req_\d+(?: {2}\S+){4} {2})[\d.]+/gm, "$1N")
    .replaceAll(/^( +(?:real time|hora real): ).*$/gm, "$1REAL")
    .replaceAll(/^( +webhook-(?:timestamp|signature): ).*$/gm, "$1REAL")
    .replaceAll(/"(webhook-(?:timestamp|signature)|x-idempotency-key)":"[^"]*"/g, '"$1":"REAL"')
    .replaceAll(/"(receiver_cpf|pix_key)(\\?)":( ?)\\?"\d{11}\\?"/g, '"$1$2":$3"DRAWN"')
    .replaceAll(/\.\d+\.tmp/g, ".PID.tmp")
    .replaceAll(/(?:^sink_\d+ .*\n)+/gm, toSorted);
}

/** Webhooks of one event arrive at the same time, in any order. */
function toSorted(lines: string): string {
  const sorted = lines
    .replaceAll(/^sink_\d+ +/gm, "")
    .trimEnd()
    .split("\n")
    .toSorted();
  return sorted.map((line) => `sink_N  ${line}\n`).join("");
}
