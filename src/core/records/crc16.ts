/**
 * CRC-16/CCITT-FALSE of a text's UTF-8 bytes; the CRC of "123456789" is 0x29B1.
 * @param before the CRC of the text before this one, if any
 */
export function crc16(text: string, before = 0xffff): number {
  let crc = before;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return new TextEncoder().encode(text).reduce(addToCrc, before);
    crc = addToCrc(crc, code);
  }
  return crc;
}

/** The CRC of a text's Latin-1 bytes. */
export function crc16OfLatin1(text: string): number {
  return Uint8Array.from(text, (character) => character.charCodeAt(0)).reduce(addToCrc, 0xffff);
}

/** As fast as a table of all bytes, which would take each start and command a millisecond to fill. */
function addToCrc(before: number, byte: number): number {
  let crc = ((before >>> 8) | ((before & 0xff) << 8)) ^ byte;
  crc ^= (crc & 0xff) >>> 4;
  crc ^= (crc << 12) & 0xffff;
  return crc ^ ((crc & 0xff) << 5);
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).toUpperCase().padStart(2, "0"),
);

export function crcToHex(crc: number): string {
  return `${HEX_BYTES[crc >>> 8]}${HEX_BYTES[crc & 0xff]}`;
}
