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
  const minutes = minutesAhead(atMs, zone);
  const time = new Date(atMs + minutes * 60_000).toISOString();
  return minutes === 0 ? time : time.replace("Z", toOffset(minutes));
}

/** A time for a line of its own: `2026-03-12 10:02:00 UTC-03:00`. */
export function toZonedTime(atMs: number, zone: string): string {
  const [, day = "", time = "", offset = ""] =
    /^(.*)T(.{8})\.\d+Z?(.*)$/.exec(toZonedIso(atMs, zone)) ?? [];
  return `${day} ${time} UTC${offset}`;
}

/** How far a zone is ahead of UTC at a time. */
function minutesAhead(atMs: number, zone: string | undefined): number {
  if (zone === undefined) return -new Date(atMs).getTimezoneOffset();
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
    formats.set(zone, format);
  }
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(atMs)) ?? [];
  return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
}

function toOffset(minutes: number): string {
  const distance = Math.abs(minutes);
  const toText = (part: number): string => String(Math.floor(part)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${toText(distance / 60)}:${toText(distance % 60)}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();
