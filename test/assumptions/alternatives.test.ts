import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  type AssumptionName,
  ASSUMPTION_NAMES,
  type Assumption,
  ASSUMPTIONS,
  readChoice,
  STANDARD_ASSUMPTIONS,
  triedChoices,
} from "../../src/core/assumptions/table.ts";
import { type SandboxOptions, startSandbox } from "../../src/server/start.ts";
import { headersOf } from "../support/calls.ts";
import { serveMain } from "../support/main.ts";
import { createFolder } from "../support/folder.ts";
import { startMerchant } from "../support/merchant.ts";
import { LISTED, SAMPLES, invalid, type Answer, type Json, type World } from "./world.ts";
import { CALL_PROOFS } from "./call-proofs.ts";
import { TRANSACTION_PROOFS } from "./transaction-proofs.ts";
import { WEBHOOK_PROOFS } from "./webhook-proofs.ts";
import { english } from "../../src/text/languages.ts";
import { inWords } from "../support/words.ts";
import type { Message } from "../../src/text/message.ts";

/** What `<seconds>` and the like stand for in each row that takes a number. */
const NUMBERS: Readonly<Record<string, number>> = {
  "idempotency.retention_seconds": 7,
  "webhook.timeout_seconds": 1,
  "payout.auto": 30,
  "rate_limit.per_minute": 3,
};

/** What shows that a choice is in effect, for each choice of each row. */
const PROOFS = { ...TRANSACTION_PROOFS, ...CALL_PROOFS, ...WEBHOOK_PROOFS };

/** Every row of the table with each of its choices, as a test's title names it and as a sandbox takes it. */
const CASES = ASSUMPTION_NAMES.flatMap((name) =>
  Object.keys((ASSUMPTIONS[name] as Assumption).choices).map((choice) => ({
    name,
    title: `${name}=${choice}`,
    choice: filled(name, choice),
  })),
);

/** A choice as a sandbox takes it, a number in the place of `<seconds>` and the like. */
function filled(name: AssumptionName, choice: string): string | number {
  const text = choice.replace(/<.*>/, String(NUMBERS[name]));
  return typeof ASSUMPTIONS[name].standard === "number" ? Number(text) : text;
}

describe("the table of assumptions", () => {
  it("has a proof for each choice of each row, and no proof has lost its choice", () => {
    expect(Object.keys(PROOFS).toSorted()).toEqual(CASES.map(({ title }) => title).toSorted());
  });
});

describe("the choices that the matrix tries", () => {
  it.each(ASSUMPTION_NAMES)("are all choices of %s, as a sandbox takes them", (name) => {
    const { choices, tried }: Assumption = ASSUMPTIONS[name];
    const names = Object.keys(choices);
    const given = triedChoices(name);
    expect(given).toHaveLength(names.length);
    for (const choice of given) expect(readChoice(name, choice)).toEqual({ choice });
    expect(tried !== undefined).toBe(names.some((choice) => choice.includes("<")));
  });
});

describe("a choice that a sandbox starts with", () => {
  it.each(CASES)("is in effect: $title", async ({ name, title, choice }) => {
    await using world = await startWorld({ assumptions: { [name]: choice } });

    expect(choiceIn(await world.control("GET", "/assumptions"), name)).toBe(choice);
    await PROOFS[title]?.(world);
    const isNamed = choice !== ASSUMPTIONS[name].standard && !SHAPES_NO_ANSWER.has(name);
    expect(world.named.has(`${name}=${choice}`)).toBe(isNamed);
  });
});

/** What these choose shows in a record or a webhook alone. */
const SHAPES_NO_ANSWER: ReadonlySet<AssumptionName> = new Set([
  "payin.paid_status",
  "payin.expiry_event",
  "webhook.signature",
  "webhook.success",
  "webhook.timeout_seconds",
  "webhook.retries",
]);

describe("a choice that an integration makes while the sandbox runs", () => {
  it.each(CASES)(
    "is in effect, whatever everyone's is: $title",
    async ({ name, title, choice }) => {
      await using world = await startWorld({});
      const other = otherThan(name, choice);
      if (other !== undefined) await world.everyone("PATCH", "/assumptions", { [name]: other });

      const changed = await world.control("PATCH", "/assumptions", { [name]: choice });
      expect(choiceIn(changed, name)).toBe(choice);
      expect(choiceIn(await world.control("GET", "/assumptions"), name)).toBe(choice);
      await PROOFS[title]?.(world);
      expect(choiceIn(await world.everyone("GET", "/assumptions"), name)).toBe(
        other ?? STANDARD_ASSUMPTIONS[name],
      );
    },
  );
});

describe("the proof of a choice", () => {
  const told = CASES.filter(
    ({ name, choice }) => typeof choice === "string" && otherThan(name, choice) !== undefined,
  );

  it.each(told)("fails with another choice: $title", async ({ name, title, choice }) => {
    await using world = await startWorld({ assumptions: { [name]: otherThan(name, choice) } });
    await expect(PROOFS[title]?.(world)).rejects.toBeInstanceOf(Error);
  });
});

/** The first, the second, and every further choice of each row, as far as it has so many. */
const ROUNDS = Array.from(
  { length: Math.max(...ASSUMPTION_NAMES.map((name) => choicesOf(name).length)) },
  (_, round) =>
    ASSUMPTION_NAMES.map((name) => {
      const choices = choicesOf(name);
      return [name, filled(name, choices[Math.min(round, choices.length - 1)] ?? "")] as const;
    }),
);

describe.each(ROUNDS.map((choices, round) => ({ round: round + 1, choices })))(
  "choice $round of every row",
  { timeout: 60_000 },
  ({ choices }) => {
    const credentials = [{ api_key: "shop", api_secret: "open sesame", merchant_id: "42" }];
    const everyone = { headers: {} };
    const own = { headers: { "x-api-token": "another" } };
    const heldIn = async (url: string, who: RequestInit) =>
      rowsOf((await (await fetch(`${url}/_sandbox/assumptions`, who)).json()) as Json);

    it("holds by the flag", async () => {
      await using folder = await createFolder();
      await writeFile(folder.at("config.json"), JSON.stringify({ credentials }));
      const flags = choices.flatMap(([name, choice]) => ["--assume", `${name}=${choice}`]);
      await using sandbox = await serveMain([
        "--memory",
        "--config",
        folder.at("config.json"),
        ...flags,
      ]);
      for (const who of [everyone, own]) expect(await heldIn(sandbox.url, who)).toEqual(choices);
    });

    it("holds by the config file", async () => {
      await using folder = await createFolder();
      const config = { memory: true, credentials, assumptions: Object.fromEntries(choices) };
      await writeFile(folder.at("pix-sandbox.config.json"), JSON.stringify(config));
      await using sandbox = await serveMain([], { cwd: folder.path });
      for (const who of [everyone, own]) expect(await heldIn(sandbox.url, who)).toEqual(choices);
    });

    it("is changed by a PATCH for all integrations without changes of their own", async () => {
      await using world = await startWorld({});
      await world.control("PATCH", "/assumptions", { "payout.rival": "allow" });
      await world.everyone("PATCH", "/assumptions", Object.fromEntries(choices));
      expect(rowsOf((await world.everyone("GET", "/assumptions")).body)).toEqual(choices);
      expect(await heldIn(world.url, own)).toEqual(choices);
      expect(choiceIn(await world.control("GET", "/assumptions"), "payout.rival")).toBe("allow");
    });
  },
);

describe("choices at the control route", () => {
  it("are all listed, with the gap, the default and the current choice", async () => {
    await using world = await startWorld({ assumptions: { "payout.rival": "allow" } });
    const { body } = await world.control("GET", "/assumptions");

    expect(body["data"]).toEqual(
      ASSUMPTION_NAMES.map((name) => ({
        name,
        gap: english(ASSUMPTIONS[name].gap),
        default: ASSUMPTIONS[name].standard,
        choice: name === "payout.rival" ? "allow" : ASSUMPTIONS[name].standard,
        choices: Object.fromEntries(
          Object.entries<Message>(ASSUMPTIONS[name].choices).map(([choice, text]) => [
            choice,
            english(text),
          ]),
        ),
      })),
    );
  });

  it("can be several in one call, numbers and truths as JSON has them", async () => {
    await using world = await startWorld({});
    const changed = await world.control("PATCH", "/assumptions", {
      "webhook.timeout_seconds": 3,
      "idempotency.retention_seconds": "60",
      "payin.generate_qrcode": true,
      "email.size": 77,
    });

    expect(choiceIn(changed, "webhook.timeout_seconds")).toBe(3);
    expect(choiceIn(changed, "idempotency.retention_seconds")).toBe(60);
    expect(choiceIn(changed, "payin.generate_qrcode")).toBe("true");
    expect(choiceIn(changed, "email.size")).toBe("77");
  });

  it.each([
    ["an unknown name", { "payout.rivals": "allow" }, "payout.rivals"],
    ["an unknown choice", { "payout.rival": "forget" }, "payout.rival"],
    ["a choice of another row", { "payout.rival": "replay" }, "payout.rival"],
    ["a number that is not positive", { "webhook.timeout_seconds": 0 }, "webhook.timeout_seconds"],
    ["a name that every object has", { constructor: "allow" }, "constructor"],
    ["a choice that every object has", { "payout.rival": "constructor" }, "payout.rival"],
  ])("are refused, and none is changed, for %s", async (_title, wrong, field) => {
    await using world = await startWorld({});
    const answer = await world.control("PATCH", "/assumptions", {
      "error.status": "always_400",
      ...wrong,
    });

    expect(answer).toEqual(invalid(field));
    expect(choiceIn(await world.control("GET", "/assumptions"), "error.status")).toBe("distinct");
  });

  it("are refused for the name __proto__", async () => {
    await using world = await startWorld({});

    expect(
      await world.control("PATCH", "/assumptions", JSON.parse('{"__proto__":"allow"}')),
    ).toEqual(invalid("__proto__"));
  });

  it.each([
    ["a list", []],
    ["a text", "payout.rival=allow"],
    ["nothing", null],
  ])("are refused where the body is %s", async (_title, body) => {
    await using world = await startWorld({});

    expect(await world.control("PATCH", "/assumptions", body)).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR" },
    });
  });
});

describe("a choice from outside", () => {
  it.each(CASES)("is read: $title", ({ name, choice }) => {
    expect(readChoice(name, choice)).toEqual({ choice });
    expect(readChoice(name, String(choice))).toEqual({ choice });
  });

  it.each([
    ["payin.generate_qrcode", true, "true"],
    ["payin.generate_qrcode", false, "false"],
    ["email.size", 77, "77"],
    ["webhook.timeout_seconds", "1", 1],
    ["webhook.timeout_seconds", 86_400, 86_400],
    ["rate_limit.per_minute", "0", 0],
    ["rate_limit.per_minute", 0, 0],
    ["rate_limit.per_minute", "60", 60],
    ["payout.auto", "complete_after:1", "complete_after:1"],
  ])("is read as JSON has it: %s=%j", (name, given, choice) => {
    expect(readChoice(name, given)).toEqual({ choice });
  });

  it.each(["", "payout", "payout.rivals", "PAYOUT.RIVAL", "toString", "constructor", "__proto__"])(
    "is refused for the name %j, which no row has",
    (name) => {
      expect(readChoice(name, "allow")).toEqual({
        refusal: inWords({
          en: expect.stringContaining(JSON.stringify(name)) as string,
        }),
      });
    },
  );

  it.each([
    ["payout.rival", "cancel, reject, allow", ["", "forget", "ALLOW", " allow", "toString"]],
    [
      "payout.rival",
      "cancel, reject, allow",
      ["__proto__", true, 1, null, undefined, {}, ["allow"]],
    ],
    ["payout.auto", "never, complete_after:<seconds>", ["complete_after", "complete_after:", "30"]],
    [
      "payout.auto",
      "never, complete_after:<seconds>",
      ["complete_after:0", "complete_after:01", 30],
    ],
    ["rate_limit.per_minute", "0, a positive integer", [-1, 1.5, "00", "none", "<requests>", true]],
    [
      "webhook.timeout_seconds",
      "a positive integer",
      ["", "0", "-1", "1.5", "01", "1e3", " 1", "1 "],
    ],
    [
      "webhook.timeout_seconds",
      "a positive integer",
      ["ten", "1234567890123456", 0, -1, 1.5, 1e21],
    ],
    ["webhook.timeout_seconds", "a positive integer", [Number.NaN, Number.POSITIVE_INFINITY, true]],
    ["webhook.timeout_seconds", "a positive integer", [null, undefined, {}, [1]]],
  ])("is refused where %s takes %s: %j", (name, taken, refused) => {
    for (const choice of refused)
      expect(readChoice(name, choice)).toEqual({
        refusal: inWords({ en: `${name} takes ${taken}.` }),
      });
  });
});

interface RunningWorld extends World, AsyncDisposable {
  /** A control route, of all integrations. */
  everyone(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** Starts a sandbox whose time stands still, a merchant, and an integration between them. */
async function startWorld(options: SandboxOptions): Promise<RunningWorld> {
  const token = "shop";
  const named = new Set<string>();
  const merchant = await startMerchant();
  const sandbox = await startSandbox({ clock: "frozen", credentials: [LISTED], ...options });
  const send = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string | null>>,
    body: unknown,
  ): Promise<Answer> => {
    const sent = Object.entries({
      "content-type": body === undefined ? null : "application/json",
      ...headers,
    });
    const answer = await fetch(`${sandbox.url}${path}`, {
      method,
      headers: sent.filter((header): header is [string, string] => header[1] !== null),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const choice of answer.headers.get("x-sandbox-assumption")?.split(", ") ?? [])
      named.add(choice);
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json };
  };
  const call: World["call"] = (method, path, body, headers = {}) =>
    send(
      method,
      path,
      {
        ...headersOf(token),
        "x-idempotency-key": crypto.randomUUID(),
        ...headers,
      },
      body,
    );
  const control: World["control"] = (method, path, body) =>
    send(method, `/_sandbox${path}`, { "x-api-token": token }, body);
  return {
    url: sandbox.url,
    secret: sandbox.secret,
    named,
    merchant,
    call,
    control,
    everyone: (method, path, body) => send(method, `/_sandbox${path}`, {}, body),
    create: (noun, members = {}, headers = {}) =>
      call(
        "POST",
        `/v1/${noun}s`,
        { ...SAMPLES[noun], webhook_url: merchant.url, ...members },
        headers,
      ),
    simulate: (noun, id, status = "completed") =>
      call(
        "POST",
        `/v1/${noun}s/simulations`,
        { transaction_id: id, status },
        { "x-idempotency-key": null },
      ),
    show: async (noun, id) => {
      const { status, body } = await control("GET", `/${noun}s/${String(id)}`);
      if (status !== 200) throw new Error(`${noun} ${String(id)}: ${status}`);
      return body;
    },
    deliveries: async () =>
      (await control("GET", "/deliveries")).body["data"] as (Json & {
        attempts: readonly Json[];
      })[],
    advance: (seconds) => control("POST", "/clock/advance", { seconds }),
    [Symbol.asyncDispose]: async () => {
      await merchant.close();
      await sandbox.close();
    },
  };
}

function choicesOf(name: AssumptionName): readonly string[] {
  return Object.keys((ASSUMPTIONS[name] as Assumption).choices);
}

/** Each row's name and the choice that holds. */
function rowsOf(body: Json): unknown {
  return (body["data"] as Json[]).map((row) => [row["name"], row["choice"]]);
}

function choiceIn({ body }: Answer, name: AssumptionName): unknown {
  return (body["data"] as Json[] | undefined)?.find((row) => row["name"] === name)?.["choice"];
}

/** A choice of the row that is not this one; undefined where there is none. */
function otherThan(name: AssumptionName, choice: string | number): string | number | undefined {
  if (typeof choice === "number") return choice + 1000;
  return Object.keys((ASSUMPTIONS[name] as Assumption).choices)
    .map((each) => filled(name, each))
    .find((each) => each !== choice);
}
