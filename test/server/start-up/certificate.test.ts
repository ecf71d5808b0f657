import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UnusableOptionError } from "../../../src/server/options/errors.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { createCertificate, openssl } from "../../support/certificate.ts";
import { createFolder } from "../../support/folder.ts";
import { english } from "../../../src/text/languages.ts";
import { lacks } from "../../support/lacks.ts";

describe.skipIf(lacks("openssl"))("HTTPS with certificate files", { timeout: 60_000 }, () => {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  const at = (name: string): string => folder.at(name);
  beforeAll(async () => {
    folder = await createFolder();
    createCertificate(at("cert.pem"), at("key.pem"));
    createCertificate(at("other.pem"), at("other-key.pem"));
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  it("serves exactly this certificate, without the option https", async () => {
    const [ca, other] = [await readFile(at("cert.pem")), await readFile(at("other.pem"))];
    await using sandbox = await startSandbox({ tlsCert: at("cert.pem"), tlsKey: at("key.pem") });
    expect(sandbox.url).toBe(`https://127.0.0.1:${sandbox.port}`);
    const get = (trusted: Buffer) =>
      once(
        https.get(`${sandbox.url}/_sandbox/health`, { ca: trusted, agent: false }),
        "response",
      ) as Promise<[IncomingMessage]>;
    const [answer] = await get(ca);
    expect(answer.statusCode).toBe(200);
    answer.resume();
    await expect(get(other)).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });

  it.each([
    ["missing", "key", "missing.pem cannot be used"],
    ["cert", "missing", "missing.pem cannot be used"],
    ["text", "key", "text.pem cannot be used"],
    ["empty", "key", "empty.pem cannot be used"],
    ["cert", "empty", "empty.pem cannot be used"],
    ["damaged", "key", "damaged.pem cannot be used"],
    ["key", "key", "key.pem cannot be used"],
    ["cert", "cert", "cert.pem cannot be used"],
    ["cert", "damaged-key", "damaged-key.pem cannot be used"],
    ["cert", "encrypted", "encrypted.pem cannot be used"],
    ["cert", "encrypted1", "encrypted1.pem cannot be used"],
    ["cert", "other-key", "other-key.pem cannot be used"],
  ])("refuses the certificate %s with the key %s: %s", async (cert, key, reason) => {
    await writeFile(at("empty.pem"), "");
    const nothing = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`;
    await writeFile(at("text.pem"), "hello");
    await writeFile(at("damaged.pem"), nothing("CERTIFICATE"));
    await writeFile(at("damaged-key.pem"), nothing("PRIVATE KEY"));
    for (const [command, name] of [
      ["pkey", "encrypted.pem"],
      ["ec", "encrypted1.pem"],
    ] as const) {
      const how = ["-aes256", "-passout", "pass:test"];
      openssl(command, "-in", at("key.pem"), ...how, "-out", at(name));
    }
    const secret = (await readFile(at("key.pem"), "utf8")).split("\n")[1] ?? "";
    const files = { tlsCert: at(`${cert}.pem`), tlsKey: at(`${key}.pem`) };
    const error = await startSandbox(files).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnusableOptionError);
    const { option, text } = error as UnusableOptionError;
    const isOfTheKey = cert === "cert";
    expect(option).toBe(isOfTheKey ? "tlsKey" : "tlsCert");
    expect(english(text)).toContain(reason);
    expect(english(text)).not.toContain(secret);
  });
});

it.each([{ tlsCert: "cert.pem" }, { tlsKey: "key.pem" }])(
  "one certificate option needs the other: %j",
  async (options) => {
    await expect(startSandbox(options)).rejects.toThrow(
      /^The option tls\w+: It needs its (?:private key|certificate) too \(/,
    );
  },
);
