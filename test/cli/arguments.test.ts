import { describe, expect, it } from "vitest";
import { firstWord, normalize, ownArguments } from "../../src/cli/program/arguments.ts";
import type { Io } from "../../src/cli/terminal/io.ts";

const words = (line: string): string[] => (line === "" ? [] : line.split(" "));
const normalized = async (line: string): Promise<string> =>
  (await normalize(words(line), {} as Io, ["payin", "serve", "exec"])).join(" ");

describe("the arguments of a command", () => {
  it("are the program's own up to --", () => {
    expect(ownArguments(words("exec -a -- b -- c"))).toEqual(["exec", "-a"]);
    expect(ownArguments(words("payin list"))).toEqual(["payin", "list"]);
  });

  it("begin with the first word that is no option and no value of a shared one", () => {
    expect(firstWord(words("--url http://x --token t payin --json list"))).toBe("payin");
    for (const option of ["--url", "--token", "--provider-id", "--control-token", "--lang"])
      expect(firstWord([option, "value", "payin"])).toBe("payin");
    expect(firstWord(words("--url=http://x --json payin"))).toBe("payin");
    expect(firstWord(words("--json"))).toBeUndefined();
  });

  it.each([
    ["payin list", "payin list"],
    ["--json payin list", "payin list --json"],
    [
      "--url http://x payin --token t list --limit 1",
      "payin list --url http://x --token t --limit 1",
    ],
    ["--url=http://x payin list", "payin list --url=http://x"],
    ["payin list --url http://x", "payin list --url http://x"],
    ["--lang pt-BR payin list a --json", "payin list --lang pt-BR a --json"],
    ["--version", "--version"],
    ["payin -- --json", "payin -- --json"],
    ["help", "--help"],
    ["help payin", "payin --help"],
    ["help payin list", "payin list --help"],
    ["--json help serve", "serve --json --help"],
    ["help nothing", "nothing"],
    ["", ""],
  ])("%j are the same as %j", async (given, expected) => {
    expect(await normalized(given)).toBe(expected);
  });

  it.each([
    ["exec npm test", "exec -- npm test"],
    ["exec -- npm test", "exec -- npm test"],
    ["exec --port 0 --memory npm --json", "exec --port 0 --memory -- npm --json"],
    ["exec --lang pt-BR npm test", "exec --lang pt-BR -- npm test"],
    ["--lang en exec npm", "--lang en exec -- npm"],
    ["exec npm --port 0 -- x", "exec npm --port 0 -- x"],
    ["exec --memory", "exec --memory"],
  ])("%j run another command as %j", async (given, expected) => {
    expect(await normalized(given)).toBe(expected);
  });
});
