import { signal } from "@preact/signals";
import { TEST_HEADER, testNameOf } from "../../wire/own-headers.ts";
import type { WireRequest } from "./wire.ts";

/** The test that made a request. */
export interface RequestTest {
  readonly name: string;
  /** Shows the moment at which it ended, if the page can. */
  readonly show?: () => void;
}

/** How the page finds it. A trace knows more than the header says. */
export const testOf = signal<(request: WireRequest) => RequestTest | undefined>(({ headers }) => {
  const value = headers[TEST_HEADER];
  return value === undefined ? undefined : { name: testNameOf(value) };
});
