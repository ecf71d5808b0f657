import { t } from "../state/language.ts";
import { filter, place } from "../state/navigation.ts";
import { say } from "../../text/message.ts";

export interface FilterProps {
  readonly statuses: readonly string[];
  /** Default: "Status". */
  readonly statusLabel?: string | undefined;
}

/** The search field and the status filter of a list. Both are part of the address, so that a link shows the same. */
export function Filter({ statuses, statusLabel = "Status" }: FilterProps) {
  const { status, q } = place.value;
  return (
    <search class="filter">
      <label class="search">
        <span class="label">{t(say`Search`)}</span>
        <input
          id="search"
          type="search"
          value={q ?? ""}
          placeholder="/"
          autocomplete="off"
          data-testid="search"
          onInput={(event) => filter({ status, q: event.currentTarget.value })}
        />
      </label>
      {statuses.length > 0 && (
        <label>
          <span class="label">{statusLabel}</span>
          <select
            value={status ?? ""}
            data-testid="status-filter"
            onChange={(event) => filter({ q, status: event.currentTarget.value })}
          >
            <option value="">{t(say`any`)}</option>
            {statuses.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      )}
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
