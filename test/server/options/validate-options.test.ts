import { describe, expect, it } from "vitest";
import { OptionError } from "../../../src/server/options/errors.ts";
import type { SandboxOptions } from "../../../src/server/options/options.ts";
import { validateOptions } from "../../../src/server/options/validate-options.ts";
import { inWords } from "../../support/words.ts";

describe("an invalid option", () => {
  it("is an error of its own kind, which names the options that there are", () => {
    const error = errorOf(() => validateOptions({ portt: 1 } as SandboxOptions));
    expect(error).toBeInstanceOf(OptionError);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      message: 'Unknown option "portt". Did you mean "port"?',
    });
    expect(errorOf(() => validateOptions({ colour: 1 } as SandboxOptions))).toMatchObject({
      message: expect.stringMatching(/^Unknown option "colour"\. The options are host, port,.+\.$/),
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
    ["tlsCert", "its private key too (tlsKey, --tls-key)"],
    ["tlsKey", "its certificate too (tlsCert, --tls-cert)"],
  ])("is %s without %s, with or without HTTPS", (given, missing) => {
    for (const https of [true, false])
      expect(errorOf(() => validateOptions({ https, [given]: "a.pem" }))).toMatchObject({
        name: "TypeError",
        text: inWords({ en: `The option ${given}: It needs ${missing}.` }),
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
});

/** Of each option: values that are refused, and values that are accepted. */
const VALUES: Readonly<
  Record<keyof SandboxOptions, readonly [refused: readonly unknown[], accepted: readonly unknown[]]>
> = {
  host: [["", " ", 5, null], ["localhost"]],
  port: [
    [-1, 65_536, 1.5, "7490", Number.NaN],
    [0, 65_535],
  ],
  stateFile: [
    ["", 5],
    ["state.json", "postgres://maria@db/shop?sandbox=team"],
  ],
  trace: [["", 5], ["trace.html"]],
  keepDeliveries: [
    [-1, 1.5, "5"],
    [0, Number.MAX_SAFE_INTEGER],
  ],
  keepRequests: [
    [-1, 1.5, Number.POSITIVE_INFINITY],
    [0, 1000],
  ],
  fixtures: [
    ["a.json", [""], [5], [null], [[]]],
    [[], ["a.json", {}]],
  ],
  seed: [["", 42, null], ["42"]],
  clock: [["freeze"], ["real", "frozen"]],
  now: [
    ["soon", 0, new Date(Number.NaN), new Date(Date.UTC(9000, 0)), "9000-01-01T00:00:00Z"],
    [new Date(0), new Date(Date.UTC(9000, 0) - 1), "2026-11-21T12:00:00Z"],
  ],
  profile: [
    ["staging.json", {}, { name: "staging" }, { name: "", assumptions: {} }],
    [{ name: "staging", assumptions: { "payout.rival": "allow" } }],
  ],
  assumptions: [
    [null, [], "payout.rival=allow"],
    [{}, { "payout.rival": "allow" }],
  ],
  explain: [
    ["false", 0],
    [true, false],
  ],
  magic: [
    ["", 1],
    [true, false],
  ],
  credentials: [
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
  https: [["yes"], [true, false]],
  tlsCert: [["", 5], []],
  tlsKey: [["", 5], []],
  publicUrl: [
    ["pix.example", "https://pix.example/?a=b", 5],
    ["https://pix.example", "http://pix.example/qr"],
  ],
  city: [
    ["東京", "", 5],
    ["Recife", "São Luís"],
  ],
  allowHosts: [
    ["shop.test", [""], [5]],
    [[], ["shop.test"]],
  ],
  corsOrigins: [
    ["*", ["*"], ["http://a/b"], [5]],
    [[], ["http://localhost:5173"]],
  ],
  controlToken: [["", "a b", "é", 5], ["s3cret!"]],
  webhookAllow: [["none"], ["all", "loopback"]],
  webhookInsecure: [
    ["yes", 1],
    [true, false],
  ],
  webhookHostRewrites: [
    [
      "localhost=a",
      [5],
      ["localhost"],
      ["a=b=c"],
      ["a=b:1"],
      ["a=http://b"],
      ["=b"],
      ["a=169.254.169.254"],
    ],
    [[], ["localhost=host.docker.internal", "127.0.0.1=[::1]"]],
  ],
  report: [["stderr", {}], [() => undefined]],
};

describe("the option", () => {
  it.each(Object.entries(VALUES))("%s is refused with what it must be", (name, [refused]) => {
    for (const value of refused) {
      expect(errorOf(() => validateOptions({ [name]: value }))).toMatchObject({
        message: expect.stringMatching(`^The option ${name} must be .+, not .+\\.$`),
      });
    }
  });

  it.each(Object.entries(VALUES))("%s is accepted in each of its forms", (name, [, accepted]) => {
    for (const value of accepted)
      expect(validateOptions({ [name]: value })).toMatchObject({ [name]: value });
    expect(validateOptions({ [name]: undefined })).toEqual(validateOptions({}));
  });

  it("of a function or an object is named, not shown", () => {
    expect(errorOf(() => validateOptions({ host: (() => 1) as never }))).toMatchObject({
      text: inWords({
        en: "The option host must be a non-empty string, not a function.",
      }),
    });
    expect(errorOf(() => validateOptions([] as never))).toMatchObject({
      text: inWords({
        en: "The options must be an object, not a list. Omit them to use the defaults.",
      }),
    });
  });

  it("is returned in its canonical form", () => {
    expect(
      validateOptions({
        corsOrigins: ["HTTP://Localhost:80/"],
        assumptions: {
          "payout.rival": "allow",
          "webhook.timeout_seconds": 3,
          "value.unit": undefined,
        },
      } as never),
    ).toMatchObject({
      corsOrigins: ["http://localhost"],
      assumptions: { "payout.rival": "allow", "webhook.timeout_seconds": 3 },
    });
  });

  it("assumptions is refused for an unknown name or choice", () => {
    expect(errorOf(() => validateOptions({ assumptions: { "payout.rival": "no" } }))).toMatchObject(
      {
        text: inWords({
          en: "The option assumptions: payout.rival takes cancel, reject, allow.",
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
