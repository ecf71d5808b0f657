import { describe, expect, it } from "vitest";
import { OptionError } from "../../../src/server/options/errors.ts";
import type { SandboxOptions } from "../../../src/server/options/options.ts";
import { locationBaseOf } from "../../../src/server/start-up/startup.ts";
import { validateOptions } from "../../../src/server/options/validate-options.ts";

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
      text: { en: expect.stringMatching(en), pt: expect.stringMatching(pt) },
    });
  });

  it.each(["https://x.example/?a=b", "https://x.example/#a", "https://a:b@x.example", "https:x"])(
    "is the public URL %s, as for the command line",
    (publicUrl) => {
      expect(errorOf(() => validateOptions({ publicUrl }))).toMatchObject({
        text: { en: expect.stringContaining("The option publicUrl must be a URL without a query") },
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
        text: { en: `The option ${given}: It needs the option ${missing} too.` },
      });
  });

  it.each(["", "whsec_", "whsec_not-base64!"])(
    "is a credential with the secret %j",
    (apiSecret) => {
      const credentials = [{ apiKey: "shop", apiSecret, merchantId: "42" }];
      expect(errorOf(() => validateOptions({ credentials }))).toMatchObject({
        name: "TypeError",
        text: { en: expect.stringMatching(/^The option credentials must be .+ not a list\.$/) },
      });
    },
  );

  it("may be a public URL that is too long, which the error shows", () => {
    const host = `${"y".repeat(60)}.example`;
    expect(errorOf(() => locationBaseOf(`https://${host}/`))).toMatchObject({
      name: "PublicUrlError",
      text: { en: expect.stringContaining(host), pt: expect.stringContaining(host) },
    });
  });
});

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
