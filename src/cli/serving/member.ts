import type { Member } from "../../server/team/member.ts";
import type { Sandbox } from "../../server/activity/sandbox.ts";
import { labelOf } from "../../server/options/state-kinds.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { VERSION } from "../../wire/version.ts";
import type { WireSettings } from "../../core/state/wire.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { withProgress } from "../client/progress.ts";
import { logOf, startLog } from "./log.ts";
import type { Prepared } from "./prepare.ts";
import { renderBanner, toReady, writeReadyFile } from "./ready.ts";
import { warnOfNetwork } from "./start.ts";
import { toStartError } from "./start-error.ts";
import { untilStopped } from "./until-stopped.ts";
import { say } from "../../text/message.ts";

/** Serves as one of several processes that share a state: prints what it is, and each change of the role. */
export async function serveMember(prepared: Prepared, io: Io): Promise<void> {
  const { options, sandboxOptions, stateFile, report } = prepared;
  const isJson = options.json;
  const isSilent = isJson || options.quiet;
  const label = localize(say`Starting`);
  const failWith = async (error: unknown, failed?: Member): Promise<never> => {
    await failed?.close();
    return toStartError(error, prepared);
  };
  const { member, first } = await withProgress(io, { label, isSilent }, async () => {
    const { startMember } = await import("../../server/team/member.ts");
    const started = await startMember(sandboxOptions, report).catch((error: unknown) =>
      failWith(error),
    );
    const sandbox = await started.first().catch((error: unknown) => failWith(error, started));
    return { member: started, first: sandbox };
  });
  const stopped = untilStopped(member, isSilent, io);
  await warnOfNetwork(member, options, io);
  const settings = await first?.settings();
  const ready = toMemberReady(member, { first, settings }, { stateFile, io });
  await using _ = await writeReadyFile(ready, options, member, io);
  // What a process of a team prints goes into the logs of a platform, which many can read.
  if (isJson) io.printJson({ ...ready, secret: null });
  else if (!isSilent)
    io.printError(
      first && settings
        ? renderBanner(first, settings, stateFile, io)
        : renderStandby(member, stateFile, io),
    );
  const log = logOf(options);
  if (first) startLog(first, log, io);
  member.onRole((sandbox) => {
    if (sandbox) startLog(sandbox, log, io);
    if (isJson) io.printJson({ type: "role", ...toRole(member) });
    else if (!isSilent) io.printError(renderRole(member));
  });
  const failed = member.failed().catch((error: unknown) => failWith(error, member));
  await Promise.race([stopped, failed]);
}

/** The ready object. A standby does not show the seed and the secret: they are in the state. */
function toMemberReady(
  member: Member,
  { first, settings }: { first: Sandbox | undefined; settings: WireSettings | undefined },
  { stateFile = "", io }: { stateFile: string | undefined; io: Io },
): object {
  const { url, port } = member;
  const sandbox = first ?? { url, port, baseUrl: `${url}/v1`, seed: null, secret: null };
  return { ...toReady(sandbox, settings, stateFile, io), ...toRole(member) };
}

function toRole({ role, leaderAddress }: Member): object {
  return { role, leader: leaderAddress };
}

function renderStandby(
  { url, leaderAddress }: Member,
  stateFile = "",
  { errorColor: color }: Io,
): string {
  const line = (name: string, value: string): string =>
    `  ${color.dim(name)}${" ".repeat(Math.max(2, 11 - name.length))}${toSafeLine(value)}`;
  return [
    color.bold(`pix-sandbox ${VERSION}`),
    line("URL", url),
    line(localize(say`State`), labelOf(stateFile)),
    line(localize(say`Leader`), leaderAddress ?? ""),
    localize(say`Standing by: this process answers when the leader is gone. Press Ctrl-C to stop.`),
  ].join("\n");
}

function renderRole({ role, leaderAddress }: Member): string {
  if (role === "leader") return localize(say`This process leads now.`);
  const leader = toSafeLine(leaderAddress ?? "");
  return localize(
    leader === ""
      ? say`This process stands by now.`
      : say`This process stands by now. Leader: ${leader}`,
  );
}
