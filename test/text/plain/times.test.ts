import { describe, expect, it } from "vitest";
import { toZonedIso, toZonedTime, zoneNamed } from "../../../src/text/plain/times.ts";

const MARCH_MS = Date.UTC(2026, 2, 12, 1, 2, 3, 4);
const JULY_MS = Date.UTC(2026, 6, 12, 1, 2, 3, 4);

describe("a time for people", () => {
  it.each([
    ["UTC", "2026-03-12T01:02:03.004Z", "2026-03-12 01:02:03 UTC"],
    ["Europe/London", "2026-03-12T01:02:03.004Z", "2026-03-12 01:02:03 UTC"],
    ["America/Sao_Paulo", "2026-03-11T22:02:03.004-03:00", "2026-03-11 22:02:03 UTC-03:00"],
    ["Asia/Kathmandu", "2026-03-12T06:47:03.004+05:45", "2026-03-12 06:47:03 UTC+05:45"],
    ["America/St_Johns", "2026-03-11T22:32:03.004-02:30", "2026-03-11 22:32:03 UTC-02:30"],
  ])("is that of its zone, %s", (zone, iso, text) => {
    expect(toZonedIso(MARCH_MS, zone)).toBe(iso);
    expect(Date.parse(iso)).toBe(MARCH_MS);
    expect(toZonedTime(MARCH_MS, zone)).toBe(text);
  });

  it("follows the zone's summer time", () => {
    expect(toZonedIso(JULY_MS, "Europe/London")).toBe("2026-07-12T02:02:03.004+01:00");
  });

  it.each([
    ["UTC", "2026-03-12T01:02:03.004Z"],
    ["America/Sao_Paulo", "2026-03-11T22:02:03.004-03:00"],
    ["Asia/Kathmandu", "2026-03-12T06:47:03.004+05:45"],
    ["America/St_Johns", "2026-03-11T22:32:03.004-02:30"],
  ])("is that of the machine, such as %s, if no zone is given", (zone, iso) => {
    const before = process.env["TZ"];
    process.env["TZ"] = zone;
    try {
      expect(toZonedIso(MARCH_MS)).toBe(iso);
    } finally {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    }
  });

  it("is in Brazil's zone where the machine names none; UTC is one", () => {
    expect([undefined, "Etc/Unknown", "UTC", "Asia/Tokyo"].map(zoneNamed)).toEqual([
      "America/Sao_Paulo",
      "America/Sao_Paulo",
      "UTC",
      "Asia/Tokyo",
    ]);
  });
});
