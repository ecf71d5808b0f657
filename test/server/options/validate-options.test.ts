import { describe, expect, it } from "vitest";
import { OptionError } from "../../../src/server/options/errors.ts";
import type { SandboxOptions } from "../../../src/server/options/options.ts";
import { locationBaseOf } from "../../../src/server/start-up/startup.ts";
import { validateOptions } from "../../../src/server/options/validate-options.ts";
import { inWords } from "../../support/words.ts";

describe("an invalid option", () => {
  it.each([
    [
      { portt: 1 },
      /^Unknown option "portt"\. The options are host, port,.+\.$/,
      /^Opção desconhecida: "portt"\. As opções são host, port,.+\.$/,
    ],
    [
      { port: "1" },
      /^The option port must be a whole number from 0 to 65535, not "1"\.$/,
      /^A opção port deve ser um número inteiro de 0 a 65535, não "1"\.$/,
    ],
    [
      { clock: [] },
      /^The option clock must be "real" or "frozen", not a list\.$/,
      /^A opção clock deve ser "real" ou "frozen", não uma lista\.$/,
    ],
  ])("is described in both languages: %j", (options, en, pt) => {
    const error = errorOf(() => validateOptions(options as SandboxOptions));
    expect(error).toBeInstanceOf(OptionError);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      text: inWords({ en: expect.stringMatching(en), pt: expect.stringMatching(pt) }),
    });
  });

  it.each(["https://x.example/?a=b", "https://x.example/#a", "https://a:b@x.example", "https:x"])(
    "is the public URL %s, as for the command line",
    (publicUrl) => {
      expect(errorOf(() => validateOptions({ publicUrl }))).toMatchObject({
        text: inWords({
          en: expect.stringContaining("The option publicUrl must be a URL without a query"),
        }),
      });
    },
  );

  it.each([
    ["tlsCert", "tlsKey"],
    ["tlsKey", "tlsCert"],
  ])("is %s without %s, with or without HTTPS", (given, missing) => {
    for (const https of [true, false])
      expect(errorOf(() => validateOptions({ https, [given]: "a.pem" }))).toMatchObject({
        name: "TypeError",
        text: inWords({ en: `The option ${given}: It needs the option ${missing} too.` }),
      });
  });

  it.each(["", "whsec_", "whsec_not-base64!"])(
    "is a credential with the secret %j",
    (apiSecret) => {
      const credentials = [{ apiKey: "shop", apiSecret, merchantId: "42" }];
      expect(errorOf(() => validateOptions({ credentials }))).toMatchObject({
        name: "TypeError",
        text: inWords({
          en: expect.stringMatching(/^The option credentials must be .+ not a list\.$/),
        }),
      });
    },
  );

  it("may be a public URL that is too long, which the error shows", () => {
    const host = `${"y".repeat(60)}.example`;
    expect(errorOf(() => locationBaseOf(`https://${host}/`))).toMatchObject({
      name: "PublicUrlError",
      text: inWords({ en: expect.stringContaining(host), pt: expect.stringContaining(host) }),
    });
  });
});

const TEXT = ["a non-empty string", "um texto não vazio"] as const;
const SWITCH = ["true or false", "true ou false"] as const;
const TEXTS = ["a list of non-empty strings", "uma lista de textos não vazios"] as const;
const AMOUNT = ["a whole number, 0 or more", "um número inteiro, 0 ou mais"] as const;

/** Of each option: what it must be, values that are refused, and values that are accepted. */
const VALUES: Readonly<
  Record<
    keyof SandboxOptions,
    readonly [
      expected: readonly [en: string, pt: string],
      refused: readonly unknown[],
      accepted: readonly unknown[],
    ]
  >
> = {
  host: [TEXT, ["", " ", 5, null], ["localhost"]],
  port: [
    ["a whole number from 0 to 65535", "um número inteiro de 0 a 65535"],
    [-1, 65_536, 1.5, "7490", Number.NaN],
    [0, 65_535],
  ],
  stateFile: [TEXT, ["", 5], ["state.json", "postgres://maria@db/shop?sandbox=team"]],
  durability: [
    ['"always" or "none"', '"always" ou "none"'],
    ["sometimes", 1],
    ["always", "none"],
  ],
  strictState: [SWITCH, ["true", 1, null], [true, false]],
  keepDeliveries: [AMOUNT, [-1, 1.5, "5"], [0, Number.MAX_SAFE_INTEGER]],
  keepRequests: [AMOUNT, [-1, 1.5, Number.POSITIVE_INFINITY], [0, 1000]],
  fixtures: [
    [
      "a list of file names and fixtures objects",
      "uma lista de nomes de arquivo e objetos de fixtures",
    ],
    ["a.json", [""], [5], [null], [[]]],
    [[], ["a.json", {}]],
  ],
  seed: [TEXT, ["", 42, null], ["42"]],
  clock: [['"real" or "frozen"', '"real" ou "frozen"'], ["freeze"], ["real", "frozen"]],
  now: [
    [
      "a time before the year 9000, as a Date or a string such as 2026-11-21T12:00:00Z",
      "um horário antes do ano 9000, como Date ou texto, por exemplo 2026-11-21T12:00:00Z",
    ],
    ["soon", 0, new Date(Number.NaN), new Date(Date.UTC(9000, 0)), "9000-01-01T00:00:00Z"],
    [new Date(0), new Date(Date.UTC(9000, 0) - 1), "2026-11-21T12:00:00Z"],
  ],
  assumptions: [
    ["an object with choices by assumption name", "um objeto com escolhas por nome de premissa"],
    [null, [], "payout.rival=allow"],
    [{}, { "payout.rival": "allow" }],
  ],
  explain: [SWITCH, ["false", 0], [true, false]],
  magic: [SWITCH, ["", 1], [true, false]],
  credentials: [
    [
      "a list of objects with apiKey, apiSecret and merchantId, each a non-empty string (an apiSecret that starts with whsec_ continues with base64)",
      "uma lista de objetos com apiKey, apiSecret e merchantId, cada um um texto não vazio (um apiSecret que começa com whsec_ continua com base64)",
    ],
    [
      {},
      [null],
      [{ apiSecret: "s", merchantId: "m" }],
      [{ apiKey: "k", merchantId: "m" }],
      [{ apiKey: "k", apiSecret: "s" }],
      [{ apiKey: "", apiSecret: "s", merchantId: "m" }],
      [{ apiKey: "k", apiSecret: "whsec_!", merchantId: "m" }],
    ],
    [[], [{ apiKey: "k", apiSecret: "whsec_c2VjcmV0", merchantId: "m" }]],
  ],
  https: [SWITCH, ["yes"], [true, false]],
  tlsCert: [TEXT, ["", 5], []],
  tlsKey: [TEXT, ["", 5], []],
  publicUrl: [
    [
      "a URL without a query, such as https://pix.example",
      "uma URL sem parâmetros de consulta, por exemplo https://pix.example",
    ],
    ["pix.example", "https://pix.example/?a=b", 5],
    ["https://pix.example", "http://pix.example/qr"],
  ],
  city: [
    [
      "the name of a city in Latin letters, such as Recife",
      "o nome de uma cidade em letras latinas, por exemplo Recife",
    ],
    ["東京", "", 5],
    ["Recife", "São Luís"],
  ],
  allowHosts: [TEXTS, ["shop.test", [""], [5]], [[], ["shop.test"]]],
  corsOrigins: [
    [
      "a list of origins without a path, such as http://localhost:5173",
      "uma lista de origens sem caminho, por exemplo http://localhost:5173",
    ],
    ["*", ["*"], ["http://a/b"], [5]],
    [[], ["http://localhost:5173"]],
  ],
  controlToken: [
    [
      "a non-empty string of ASCII letters, digits and punctuation, without spaces",
      "um texto não vazio de letras, dígitos e pontuação ASCII, sem espaços",
    ],
    ["", "a b", "é", 5],
    ["s3cret!"],
  ],
  openControl: [SWITCH, ["no"], [true, false]],
  standbyForward: [SWITCH, ["no"], [true, false]],
  advertise: [
    [
      "a URL without a path, such as http://10.0.0.5:7490",
      "uma URL sem caminho, por exemplo http://10.0.0.5:7490",
    ],
    ["10.0.0.5:7490", "http://a/b", "ftp://a", 5],
    ["http://10.0.0.5:7490"],
  ],
  webhookAllow: [['"all" or "loopback"', '"all" ou "loopback"'], ["none"], ["all", "loopback"]],
  report: [["a function", "uma função"], ["stderr", {}], [() => undefined]],
};

/** A value as an error shows it. */
function shown(name: string, value: unknown): readonly [en: string, pt: string] {
  if (name === "controlToken") return ["another value", "outro valor"];
  if (Array.isArray(value)) return ["a list", "uma lista"];
  if (typeof value === "object" && value !== null && !(value instanceof Date))
    return ["an object", "um objeto"];
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return [text, text];
}

describe("the option", () => {
  it.each(Object.entries(VALUES))(
    "%s is refused with what it must be",
    (name, [[en, pt], refused]) => {
      for (const value of refused) {
        const given = shown(name, value);
        expect(errorOf(() => validateOptions({ [name]: value }))).toMatchObject({
          text: inWords({
            en: `The option ${name} must be ${en}, not ${given[0]}.`,
            pt: `A opção ${name} deve ser ${pt}, não ${given[1]}.`,
          }),
        });
      }
    },
  );

  it.each(Object.entries(VALUES))("%s is accepted in each of its forms", (name, [, , accepted]) => {
    for (const value of [undefined, ...accepted])
      expect(validateOptions({ [name]: value })).toEqual({ [name]: value });
  });

  it("of a function or an object is named, not shown", () => {
    expect(errorOf(() => validateOptions({ host: (() => 1) as never }))).toMatchObject({
      text: inWords({
        en: "The option host must be a non-empty string, not a function.",
        pt: "A opção host deve ser um texto não vazio, não uma função.",
      }),
    });
    expect(errorOf(() => validateOptions([] as never))).toMatchObject({
      text: inWords({
        en: "The options must be an object, not a list. Omit them to use the defaults.",
        pt: "As opções devem ser um objeto, não uma lista. Omita-as para usar os valores padrão.",
      }),
    });
  });

  it("is returned in its canonical form", () => {
    expect(
      validateOptions({
        advertise: "HTTP://Shop.Test:80/",
        corsOrigins: ["HTTP://Localhost:80/"],
        assumptions: {
          "payout.rival": "allow",
          "webhook.timeout_seconds": 3,
          "value.unit": undefined,
        },
      } as never),
    ).toEqual({
      advertise: "http://shop.test",
      corsOrigins: ["http://localhost"],
      assumptions: { "payout.rival": "allow", "webhook.timeout_seconds": 3 },
    });
  });

  it("assumptions is refused for an unknown name or choice, in both languages", () => {
    expect(errorOf(() => validateOptions({ assumptions: { "payout.rival": "no" } }))).toMatchObject(
      {
        text: inWords({
          en: "The option assumptions: payout.rival takes cancel, reject, allow.",
          pt: "A opção assumptions: payout.rival aceita cancel, reject, allow.",
        }),
      },
    );
  });
});

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
