import type { ComponentChildren } from "preact";
import { t } from "../state/language.ts";
import { filter, place } from "../state/navigation.ts";
import { say } from "../../text/message.ts";

export interface FilterProps {
  /** The choices, by what the address contains. */
  readonly statuses: readonly string[];
  /** How a status is called; default: as in the address. */
  readonly wordOf?: ((status: string) => string) | undefined;
  /** The choice of all; default: "Any status". */
  readonly anyText?: string | undefined;
  /** Stands beside the filter, such as a button. */
  readonly beside?: ComponentChildren;
}

/** The search field and the status filter of a list. Both are part of the address, so that a link shows the same. */
export function Filter({ statuses, wordOf = (status) => status, anyText, beside }: FilterProps) {
  const { status, q } = place.value;
  const any = anyText ?? t(say`Any status`);
  const search = t(say`Search`);
  return (
    <search class="filter">
      <div class="search">
        <input
          id="search"
          type="search"
          aria-label={search}
          value={q ?? ""}
          placeholder={search}
          autocomplete="off"
          data-testid="search"
          onInput={(event) => filter({ status, q: event.currentTarget.value })}
        />
        <kbd>/</kbd>
      </div>
      {statuses.length > 0 && (
        <select
          aria-label={any}
          value={status ?? ""}
          data-testid="status-filter"
          onChange={(event) => filter({ q, status: event.currentTarget.value })}
        >
          <option value="">{any}</option>
          {statuses.map((one) => (
            <option key={one} value={one}>
              {wordOf(one)}
            </option>
          ))}
        </select>
      )}
      {beside}
    </search>
  );
}

/** Whether any text of a row contains the search text, whatever its letter case. */
export function matches(q: string, row: unknown): boolean {
  const wanted = q.toLowerCase();
  return textsOf(row).some((text) => text.toLowerCase().includes(wanted));
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
