/**
 * Marks the gateway calls of the sandbox's own commands and of the test API, such as `payin create`: they are not the
 * merchant's, so the reviewer does not judge them.
 */
export const OWN_CLIENT_HEADER = "x-sandbox-client";
/**
 * Names the test that a call belongs to: its name, percent-encoded, and after a semicolon what distinguishes this run of
 * it from others. From the first such call on, the sandbox records what happens, so that it can write the trace of one
 * test.
 */
export const TEST_HEADER = "x-sandbox-test";

/** Longer names are cut. */
const MAX_LENGTH = 300;
/** Of a longer value, the rest is ignored: each character takes up to twelve. */
export const MAX_TEST_HEADER = MAX_LENGTH * 12 + 40;

/** The value of the header for one run of a test. */
export function toTestHeader(name: string, run: string): string {
  // A surrogate without its pair cannot be encoded.
  const whole = name.slice(0, MAX_LENGTH).replaceAll(/\p{Surrogate}/gu, "\ufffd");
  return `${encodeURIComponent(whole)};${run}`;
}

/** The name of the test in a value of the header. */
export function testNameOf(value: string): string {
  const [text = ""] = value.split(";");
  try {
    return decodeURIComponent(text).slice(0, MAX_LENGTH);
  } catch {
    return text.slice(0, MAX_LENGTH);
  }
}
