import { t } from "../state/language.ts";
import type { HeaderError } from "../state/refusal.ts";
import { Remark } from "./body.tsx";
import { Outside } from "./text.tsx";
import { say } from "../../text/message.ts";

/** The headers of a request or a response, with remarks beside those that are wrong or missing. */
export function Headers({
  headers,
  errors = [],
}: {
  readonly headers: Readonly<Record<string, string>>;
  readonly errors?: readonly HeaderError[];
}) {
  const sent = Object.entries(headers);
  const missing = errors.filter(({ name }) => !Object.hasOwn(headers, name));
  const remarksOf = (wanted: string) =>
    errors
      .filter(({ name }) => name === wanted)
      .map(({ message }) => <Remark key={message} message={message} />);
  return (
    <dl class="headers">
      {sent.map(([name, value]) => {
        const remarks = remarksOf(name);
        return (
          <div key={name}>
            <dt>
              <Outside text={name} />
            </dt>
            <dd>
              {remarks.length > 0 ? (
                <mark>
                  <Outside text={value === "" ? '""' : value} />
                </mark>
              ) : (
                <Outside text={value} />
              )}
              {remarks}
            </dd>
          </div>
        );
      })}
      {missing.map(({ name }) => (
        <div key={name}>
          <dt>
            <mark>
              <Outside text={name} />
            </mark>
          </dt>
          <dd>
            {t(say`is missing`)}
            {remarksOf(name)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
