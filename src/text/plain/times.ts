/* oxlint-disable no-restricted-globals -- only formats given times; reads no clock. */

/** The zone of people whose machine names none: most of them use Pix where its central bank is. */
const USUAL_ZONE = "America/Sao_Paulo";

/** The zone in which a machine shows times. UTC is one. @param name as the machine names it */
export function zoneNamed(name: string | undefined): string {
  return name === undefined || name === "Etc/Unknown" ? USUAL_ZONE : name;
}

/**
 * A time as ISO 8601 in a zone: `2026-03-12T10:02:00.000-03:00`, in UTC `2026-03-12T13:02:00.000Z`.
 * @param zone default: the machine's own, which needs no `Intl`: loading its data takes 10 ms
 */
export function toZonedIso(atMs: number, zone?: string): string {
  const offset = offsetOf(atMs, zone);
  const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const offsetMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return new Date(atMs + offsetMs).toISOString().replace("Z", offset);
}

/** A time for a line of its own: `2026-03-12 10:02:00 UTC-03:00`. */
export function toZonedTime(atMs: number, zone: string): string {
  const [day = "", time = ""] = toZonedIso(atMs, zone).split("T");
  const offset = offsetOf(atMs, zone);
  return `${day} ${time.slice(0, 8)} UTC${offset === "Z" ? "" : offset}`;
}

/** The distance of a zone from UTC at a time: `-03:00`, or `Z` for none. */
function offsetOf(atMs: number, zone: string | undefined): string {
  if (zone === undefined) return toOffset(-new Date(atMs).getTimezoneOffset());
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
    formats.set(zone, format);
  }
  const parts = format.formatToParts(atMs);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  const offset = name.replace("GMT", "");
  return offset === "" || offset === "+00:00" ? "Z" : offset;
}

function toOffset(minutes: number): string {
  if (minutes === 0) return "Z";
  const twoDigits = (number: number): string => String(number).padStart(2, "0");
  const distance = Math.abs(minutes);
  const text = `${twoDigits(Math.floor(distance / 60))}:${twoDigits(distance % 60)}`;
  return `${minutes < 0 ? "-" : "+"}${text}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();
