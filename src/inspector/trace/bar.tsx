import { useRef, useState } from "preact/hooks";
import { t } from "../state/language.ts";
import { say } from "../../text/message.ts";
import { Guide } from "./guide.tsx";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { Outside, Time } from "../parts/text.tsx";
import {
  goBack,
  goesOn,
  goOn,
  merchant,
  type PageTest,
  type PageTrace,
  position,
  showAt,
  showTest,
} from "./player.ts";

/** What a trace has beside the inspector: its moments, the way on from there, and the shop. */
export function TraceBar({ trace }: { readonly trace: PageTrace | undefined }) {
  return (
    <div class="trace-bar" data-testid="trace-bar">
      {!trace && <Guide />}
      {trace && trace.tests.length > 0 && <Tests tests={trace.tests} />}
      {trace && (goesOn.value ? <Since trace={trace} /> : <Moments trace={trace} />)}
      {trace && !goesOn.value && (
        <button type="button" class="main" onClick={goOn} data-testid="continue">
          {t(say`Continue`)}
        </button>
      )}
      {goesOn.value && (
        <span class="buttons">
          {trace && (
            <button type="button" onClick={goBack} data-testid="back">
              {t(say`Back to the trace`)}
            </button>
          )}
          <Merchant />
        </span>
      )}
      {trace?.masked === true && <span class="note">{t(say`Personal data is masked`)}</span>}
    </div>
  );
}

/** The tests by their names; a name goes to the end of its test. */
function Tests({ tests }: { readonly tests: readonly PageTest[] }) {
  const [first] = tests;
  if (first && tests.length === 1)
    return (
      <strong class="test" title={toSafeLine(first.name)} data-testid="trace-test">
        <Outside text={first.name} />
      </strong>
    );
  const ended = tests.find(({ until }) => until === position.value);
  return (
    <select
      class="test"
      aria-label={t(say`Test`)}
      disabled={goesOn.value}
      value={ended?.id ?? ""}
      onChange={({ currentTarget }) => {
        const chosen = tests.find(({ id }) => String(id) === currentTarget.value);
        if (chosen) showTest(chosen);
      }}
      data-testid="trace-test"
    >
      <option value="" disabled>
        {t(say`Go to a test`)}
      </option>
      {tests.map(({ id, name }) => (
        <option key={id} value={id}>
          {toSafeLine(name)}
        </option>
      ))}
    </select>
  );
}

/** From where one has gone on. */
function Since({ trace: { steps } }: { readonly trace: PageTrace }) {
  return <span class="moments">{t(say`Since step ${position.value} of ${steps.length}`)}</span>;
}

function Moments({ trace: { start, steps } }: { readonly trace: PageTrace }) {
  const at = (steps[position.value - 1] ?? start).at;
  return (
    <label class="moments">
      <span>
        {t(say`Step ${position.value} of ${steps.length}`)} ·{" "}
        <Time at={new Date(at).toISOString()} />
      </span>
      <input
        type="range"
        min={0}
        max={steps.length}
        value={position.value}
        onInput={({ currentTarget }) => showAt(Number(currentTarget.value))}
        data-testid="moments"
      />
    </label>
  );
}

/** The simulated shop, whose source can be changed. */
function Merchant() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [source, setSource] = useState(merchant.source);
  const close = (): void => dialog.current?.close();
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()} data-testid="shop">
        {t(say`Shop`)}
      </button>
      <dialog ref={dialog} aria-label={t(say`The simulated shop`)}>
        <textarea
          rows={12}
          spellcheck={false}
          aria-label={t(say`The simulated shop`)}
          value={source}
          onInput={({ currentTarget }) => setSource(currentTarget.value)}
        />
        <div class="buttons">
          <button
            type="button"
            class="main"
            onClick={() => {
              merchant.use(source);
              close();
            }}
          >
            {t(say`Apply`)}
          </button>
          <button type="button" onClick={close}>
            {t(say`Cancel`)}
          </button>
        </div>
      </dialog>
    </>
  );
}
