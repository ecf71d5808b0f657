import { useEffect } from "preact/hooks";
import { focusWanted, listKeys } from "../state/keys.ts";
import { Actions, Command } from "../parts/action.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { SampleButton } from "../parts/new-button.tsx";
import { focusTitle, keepFocus, Pane } from "../parts/pane.tsx";
import { Prose } from "../parts/prose.tsx";
import { Outside, recordNoun, shortId, Time } from "../parts/text.tsx";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { type Action, commandLine, completeCommand } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import { usualWebhookUrl } from "../state/creation.ts";
import { t } from "../state/language.ts";
import { toFragment } from "../state/place.ts";
import {
  type Cause,
  causesOf,
  countOf,
  needsOf,
  questionsText,
  recordsOf,
} from "../state/review.ts";
import { COUNTED, type Verdict, VERDICT_WORDS, VERDICTS } from "../../review/labels.ts";
import { deliveries, loadReview, loads, payouts, review, rules } from "../state/sandbox.ts";
import { trace } from "../state/trace.ts";
import type { WireEvidence, WireFinding } from "../state/wire.ts";
import { plural, say } from "../../text/message.ts";
import { isSinkUrl } from "../../wire/names.ts";

/** What the reviewer found in the integration, or in all of them. */
export function ReviewPane() {
  const { rules: findings, assumptions } = review.value;
  const causes = causesOf(review.value);
  const passed = findings.filter(({ verdict }) => verdict === "pass");
  const isUnseen = countOf(review.value, "not_seen") === findings.length;
  const isEmpty = isUnseen && assumptions.length === 0;
  useEvidenceKeys();
  useEffect(() => {
    // A command can have cleared it, which no event reports.
    loadReview().catch(() => undefined);
  }, []);
  const title = t(say`Review`);
  if (loads.value === 0 || findings.length === 0)
    return (
      <Pane title={title}>
        <p>{t(say`Loading…`)}</p>
      </Pane>
    );
  return (
    <Pane title={title} end={!isEmpty && !trace && <Actions actions={[startOver()]} />}>
      <ul class="verdicts" data-testid="verdicts">
        {VERDICTS.filter(
          (verdict) => verdict !== "pending" || countOf(review.value, verdict) > 0,
        ).map((verdict) => (
          <li key={verdict} class={countOf(review.value, verdict) === 0 ? "dim" : undefined}>
            <Mark verdict={verdict} text={countText(verdict)} />
          </li>
        ))}
      </ul>
      <p class="hint">
        {t(say`Judges everything since the sandbox started. A reset does not change the verdicts.`)}
      </p>
      {!trace && <CheckHandler />}
      {isEmpty && !trace ? (
        <div class="empty">
          <p>
            {t(
              say`There is nothing to judge yet. Let your integration create a charge, or send it a webhook:`,
            )}
          </p>
          <Command text={commandLine(["trigger", "payin.paid", "--webhook-url", SAMPLE_HANDLER])} />
          <SampleButton />
        </div>
      ) : null}
      {causes.map((cause) => (
        <Broken key={cause.finding.id} cause={cause} />
      ))}
      {passed.length > 0 && (
        <details class="add" data-testid="passed">
          <summary>
            <Mark verdict="pass" text={countText("pass")} />
          </summary>
          <p class="hint">{t(say`The integration could have made a mistake here, and did not.`)}</p>
          <Rules findings={passed} textOf={({ says }) => says} />
        </details>
      )}
      <NotSeen />
      <Questions />
    </Pane>
  );
}

const SAMPLE_HANDLER = "http://localhost:3000/webhooks";

/** The command that checks the shop's handler. */
function CheckHandler() {
  const url = usualWebhookUrl();
  return (
    <section class="add" aria-labelledby="check" data-testid="check">
      <h3 id="check">{t(say`Check your webhook handler`)}</h3>
      <p class="hint">
        {t(say`This command sends it valid and forged webhooks, and judges what it does:`)}
      </p>
      {/* The sandbox's own receiver is no shop. */}
      <Command text={commandLine(["check-webhook", isSinkUrl(url) ? SAMPLE_HANDLER : url])} />
    </section>
  );
}

/** A broken rule, and beneath it those that it implies. */
function Broken({ cause: { finding, implied } }: { readonly cause: Cause }) {
  return (
    <article
      class="add finding"
      data-testid="row"
      data-id={finding.id}
      aria-labelledby={finding.id}
    >
      <h3 id={finding.id}>
        <Mark verdict={finding.verdict} /> <Prose text={toSafeLine(finding.says)} />
      </h3>
      <RuleName finding={finding} />
      <Finding finding={finding} />
      {implied.length > 0 && (
        <div class="implied" data-testid="implied">
          <h4>{t(say`It implies:`)}</h4>
          {implied.map((one) => (
            <div key={one.id} data-id={one.id}>
              <p class="anywhere">
                <Mark verdict={one.verdict} /> <Prose text={toSafeLine(one.says)} />{" "}
                <RuleName finding={one} />
              </p>
              <Finding finding={one} isImplied />
            </div>
          ))}
        </div>
      )}
    </article>
  );
}

/** What a finding says, what it costs, and its evidence. */
function Finding(props: { readonly finding: WireFinding; readonly isImplied?: boolean }) {
  const { finding, isImplied = false } = props;
  const newestFirst = finding.evidence.toReversed();
  const shown = isImplied ? 0 : SHOWN_EVIDENCE;
  const others = newestFirst.slice(shown);
  return (
    <>
      <p>
        <span class="dim">{t(say`What it costs:`)}</span> {rules.value.get(finding.id)?.harm}
      </p>
      <p>
        <span class="dim">{t(say`What to change:`)}</span> {rules.value.get(finding.id)?.change}
      </p>
      <EvidenceList rule={finding.id} evidence={newestFirst.slice(0, shown)} />
      {others.length > 0 && (
        <details>
          <summary>
            {isImplied
              ? t(say`Evidence (${others.length})`)
              : t(say`Older evidence (${others.length})`)}
          </summary>
          <EvidenceList rule={finding.id} evidence={others} />
        </details>
      )}
    </>
  );
}

/** How much evidence is visible at once. */
const SHOWN_EVIDENCE = 3;

function EvidenceList(props: {
  readonly rule: WireFinding["id"];
  readonly evidence: readonly WireEvidence[];
}) {
  const { rule, evidence } = props;
  // One webhook can be evidence for several rules.
  const keyOf = ({ at, says }: WireEvidence): string => `${rule} ${at} ${says}`;
  if (evidence.length === 0) return null;
  return (
    <ul class="evidence">
      {evidence.map((one) => (
        <li
          key={keyOf(one)}
          data-id={keyOf(one)}
          data-testid="evidence"
          onFocusIn={() => (lastFocused = keyOf(one))}
        >
          <p class="anywhere">
            <Time at={one.at} /> <Outside text={one.says} />
          </p>
          <p class="records">
            {recordsOf(one, KNOWN).map(({ pane, id }) => (
              <a key={pane} href={toFragment({ pane, id })}>
                {recordNoun(pane)} <code>{toSafeLine(shortId(id))}</code>
              </a>
            ))}
          </p>
          <Command
            text={one.command.startsWith("curl ") ? one.command : completeCommand(one.command)}
          />
        </li>
      ))}
    </ul>
  );
}

const KNOWN = {
  isPayout: (id: string) => payouts.get(id) !== undefined,
  delivery: (id: string) => deliveries.get(id),
};

/** The rules that could not be judged, with what a run needs. */
function NotSeen() {
  const needs = [...needsOf(review.value)];
  if (needs.length === 0) return null;
  return (
    <details class="add" data-testid="not-seen">
      <summary>
        <Mark verdict="not_seen" text={countText("not_seen")} />
      </summary>
      <p class="hint">{t(say`Nothing shows whether the integration makes these mistakes.`)}</p>
      {needs.map(([need, unseen]) => (
        <div key={need} class="need">
          <p>
            <Outside text={need} />
          </p>
          <Rules findings={unseen} textOf={({ id }) => rules.value.get(id)?.mistake} />
        </div>
      ))}
    </details>
  );
}

function Rules(props: {
  readonly findings: readonly WireFinding[];
  readonly textOf: (finding: WireFinding) => string | undefined;
}) {
  const { findings, textOf } = props;
  return (
    <ul class="mistakes">
      {findings.map((finding) => (
        <li key={finding.id}>
          <RuleName finding={finding} /> <span class="dim">{textOf(finding)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The assumptions that the run depended on, as questions for the provider. */
function Questions() {
  const { assumptions } = review.value;
  if (assumptions.length === 0) return null;
  return (
    <section class="add" aria-labelledby="questions" data-testid="questions">
      <h3 id="questions">
        {t(
          plural(
            assumptions.length,
            say`${assumptions.length} question for the provider`,
            say`${assumptions.length} questions for the provider`,
          ),
        )}
      </h3>
      <p class="hint">
        {t(say`The results depend on these choices, on which the specification is silent.`)}
      </p>
      <CopyButton
        text={t(questionsText(review.value))}
        label={t(say`Copy the questions as plain text`)}
        caption={t(say`Copy the questions`)}
      />
      <ol class="questions">
        {assumptions.map(({ name, choice, question }) => (
          <li key={name}>
            {question}{" "}
            <a class="anywhere" href={toFragment({ pane: "assumptions", q: name })}>
              <code>
                {name}={choice}
              </code>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** A rule's id, by which commands and settings name it. */
function RuleName({ finding: { id } }: { readonly finding: WireFinding }) {
  return (
    <span class="rule">
      <code class="anywhere">{id}</code>
    </span>
  );
}

/** A verdict by word and shape, so that it can be read without colors. */
function Mark(props: { readonly verdict: Verdict; readonly text?: string }) {
  const { shape, tone } = LOOKS[props.verdict];
  return (
    <span class={`status ${tone}`} data-testid={`verdict-${props.verdict}`}>
      <span aria-hidden="true">{shape}</span> {props.text ?? t(VERDICT_WORDS[props.verdict])}
    </span>
  );
}

const LOOKS = {
  fail: { shape: "✕", tone: "bad" },
  warning: { shape: "▲", tone: "open-tone" },
  pending: { shape: "◔", tone: "open-tone" },
  pass: { shape: "●", tone: "good" },
  not_seen: { shape: "○", tone: "over" },
};

function countText(verdict: Verdict): string {
  const count = countOf(review.value, verdict);

  return t(COUNTED[verdict](count));
}

/** No command does it. */
function startOver(): Action {
  const name = scope.value === null ? undefined : toSafeLine(scope.value);
  return {
    label: t(say`Start over`),
    method: "DELETE",
    path: "/report",
    command: undefined,
    isDanger: true,
    question: t(
      name === undefined
        ? say`Start over? The review forgets what all integrations have done so far (${countText("fail")}, ${countText("warning")}).`
        : say`Start over? The review forgets what ${name} has done so far (${countText("fail")}, ${countText("warning")}).`,
    ),
    onDone: async () => {
      await loadReview();
      keepFocus();
    },
  };
}

/** The key of the evidence that had the focus last. */
let lastFocused: string | undefined;

/** Lets `j` and `k` move the focus over the evidence, and returns it there when a record is closed. */
function useEvidenceKeys(): void {
  useEffect(() => {
    const rows = (): readonly HTMLElement[] =>
      [...document.querySelectorAll<HTMLElement>(".evidence > li")].filter((row) =>
        row.checkVisibility(),
      );
    const focus = (all: readonly HTMLElement[], index: number): void => {
      const link = all[Math.min(Math.max(0, index), all.length - 1)]?.querySelector("a");
      if (link) link.focus();
      else focusTitle();
    };
    const indexOf = (all: readonly HTMLElement[]): number =>
      all.findIndex(({ dataset }) => dataset["id"] === lastFocused);
    const keys = {
      move: (by: number) => {
        const all = rows();
        focus(all, indexOf(all) + by);
      },
      focus: () => {
        const all = rows();
        focus(all, indexOf(all));
      },
    };
    listKeys.current = keys;
    if (focusWanted.current) {
      focusWanted.current = false;
      keys.focus();
    }
    return () => {
      if (listKeys.current === keys) listKeys.current = undefined;
    };
  });
}
