import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { createSecureContext, TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { createCertificate } from "../../support/certificate.ts";
import { runCli } from "../../support/cli.ts";
import { createFolder } from "../../support/folder.ts";
import { lacks } from "../../support/lacks.ts";

/** What PostgreSQL reports for a database that does not exist. */
const REFUSAL = "such a database does not exist";
const FIELDS = Buffer.from(`SFATAL\0VFATAL\0C3D000\0M${REFUSAL}\0\0`);
const OTHER_NAME = "does not match certificate's altnames";

describe.skipIf(lacks("openssl"))("a database with TLS", () => {
  it.concurrent.each([
    ["verify-full", "127.0.0.1", "IP:127.0.0.1", REFUSAL],
    ["verify-full", "localhost", "DNS:localhost", REFUSAL],
    ["verify-full", "127.0.0.1", "DNS:localhost", OTHER_NAME],
    ["verify-full", "127.0.0.1", "IP:127.0.0.2", OTHER_NAME],
    ["verify-full", "localhost", "DNS:db.example", OTHER_NAME],
    ["verify-full", "localhost", "no authority", "self-signed certificate"],
    ["require", "127.0.0.1", "no authority", REFUSAL],
  ])("with %s at %s and a certificate for %s: %s", async (mode, host, name, outcome) => {
    await using folder = await createFolder();
    const [cert, key] = [folder.at("cert.pem"), folder.at("key.pem")];
    const isKnown = name !== "no authority";
    createCertificate(cert, key, isKnown ? name : "DNS:localhost");
    const secureContext = createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      // The request for TLS.
      socket.once("data", () => {
        socket.write("S");
        const secure = new TLSSocket(socket, { isServer: true, secureContext });
        secure.on("error", () => undefined);
        secure.once("data", () => {
          const length = Buffer.alloc(4);
          length.writeInt32BE(FIELDS.length + 4);
          secure.end(Buffer.concat([Buffer.from("E"), length, FIELDS]));
        });
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const address = `postgres://me@${host}:${port}/db?sslmode=${mode}`;
    const { code, stderr } = await runCli(["state", "copy", address, folder.at("copy.json")], {
      env: isKnown ? { NODE_EXTRA_CA_CERTS: cert } : {},
    });
    server.close();
    expect([code, stderr]).toEqual([9, expect.stringContaining(outcome)]);
  });
});
