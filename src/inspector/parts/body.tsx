import { useMemo, useState } from "preact/hooks";
import { type Mark, viewBody } from "../state/body-text.ts";
import { t } from "../state/language.ts";
import { CopyButton } from "./copy.tsx";
import { Outside } from "./text.tsx";
import { say } from "../../text/message.ts";

const LIMITS = { characters: 20_000, lines: 400 };

/** A body from outside, as text: JSON is indented, and its marked members have their remarks beside them. */
export function Body({
  text,
  marks,
}: {
  readonly text: string;
  readonly marks?: readonly Mark[] | undefined;
}) {
  const [isAll, setAll] = useState(false);
  const { parts, isWhole, absent } = useMemo(
    () => viewBody(text, marks, isAll ? undefined : LIMITS),
    [text, marks, isAll],
  );
  return (
    <div class="body" data-testid="body">
      {text === "" ? (
        <p class="dim">{t(say`The body is empty.`)}</p>
      ) : (
        <>
          <CopyButton text={text} label={t(say`Copy the body`)} />
          <pre>
            <code>
              {parts.map((part, index) =>
                part.messages ? (
                  <span key={index} class="marked">
                    {/^ */.exec(part.text)?.[0]}
                    <mark>{part.text.trim()}</mark>
                    {part.messages.map((message) => (
                      <Remark key={message} message={message} />
                    ))}
                    {"\n"}
                  </span>
                ) : (
                  `${part.text}\n`
                ),
              )}
            </code>
          </pre>
        </>
      )}
      {!isWhole && (
        <button type="button" onClick={() => setAll(true)}>
          {t(say`Show all (${text.length} characters)`)}
        </button>
      )}
      {absent.length > 0 && (
        <ul class="absent">
          {absent.map(({ path, message }) => (
            <li key={path.join(".")}>
              <mark>
                <Outside text={path.join(".")} />
              </mark>{" "}
              {t(say`is missing`)} <Remark message={message} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** What is wrong with the marked text before it. */
export function Remark({ message }: { readonly message: string }) {
  return (
    <span class="remark" data-testid="remark">
      <span aria-hidden="true">✕</span> <Outside text={message} />
    </span>
  );
}
