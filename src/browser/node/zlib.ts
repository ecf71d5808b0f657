import crc from "crc-32";
import { zlibSync } from "fflate";

export function crc32(bytes: Uint8Array): number {
  return crc.buf(bytes) >>> 0;
}

export function deflateSync(bytes: Uint8Array, { level }: { level: 3 }): Buffer {
  return Buffer.from(zlibSync(bytes, { level }));
}
