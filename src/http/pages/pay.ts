import { COPY, toCopyField, type Html, html, toPage } from "../../platform/html.ts";
import { copyFieldWords } from "../../text/terms.ts";
import * as z from "zod";
import { toEpochMs } from "../../wire/timestamp.ts";
import { GatewayError } from "../../core/records/errors.ts";
import { readBrCode } from "../../core/records/br-code.ts";
import type { Payin, PayinStatus } from "../../core/records/transaction.ts";
import type { Clock } from "../../core/time/clock.ts";
import { toSafeLine, toSafeText } from "../../text/plain/safe-text.ts";
import {
  type Answer,
  type Call,
  pageLanguage,
  readPathValue,
  readToken,
  toRedirect,
} from "../calls/call.ts";
import { renderQrPng } from "../calls/qr-image.ts";
import type { Context } from "../context/context.ts";
import { readForm } from "../parse/body.ts";
import type { Endpoint } from "../definitions/route.ts";
import { type Message, say } from "../../text/message.ts";
import { type Language, LANGUAGES, toReais, translate } from "../../text/languages.ts";

const form = z.object({ action: z.enum(["pay", "decline", "expire"]) });

/** The page on which a buyer pays a charge: a browser test, or a colleague with a phone. */
export const payerPages: Readonly<Record<string, Endpoint>> = {
  "GET /_sandbox/pay/{id}": {
    isOpen: true,
    handle: async (call, context) => {
      const notice = call.location.searchParams.get("notice");
      return showPayin(call, context, notice === "declined" ? notice : undefined);
    },
  },

  "POST /_sandbox/pay/{id}": {
    isOpen: true,
    handle: async (call, context) => {
      const action = (await readForm(call, form))?.action;
      if (action === undefined) return showPayin(call, context, "unknown_action", 400);
      const id = readPathValue(call);
      if (action !== "decline")
        await context.gateway.move(readToken(call), "payin", id, action).catch(ignoreFinal);
      // The browser reads the page anew: a reload repeats no payment. The path is relative to the page, which a
      // proxy may serve below another one.
      const path = encodeURIComponent(id);
      return toRedirect(action === "decline" ? `${path}?notice=declined` : path);
    },
  },
};

/** A charge that has a final status already is shown as it is. */
function ignoreFinal(error: unknown): void {
  if (!(error instanceof GatewayError && error.code === "NOT_PROCESSABLE")) throw error;
}

/** What the page reports about the payer's last action. */
type Notice = keyof typeof NOTICES;

/**
 * The page of the charge in a call's path. By its whole id: a prefix would open the charges of others. It works
 * without a script; the script only copies the code and counts down.
 */
async function showPayin(
  call: Call,
  { gateway, clock }: Context,
  notice?: Notice,
  status = 200,
): Promise<Answer> {
  const language = pageLanguage(call);
  const found = await gateway.read(readToken(call), (view) =>
    view.transaction("payin", readPathValue(call)),
  );
  if (!found) return toUnknownPage(language);
  const { record: payin } = found;
  const { description } = payin;
  const unit = gateway.assumptionsOf(payin.integration)["value.unit"];
  const value = toReais(unit === "centavos" ? payin.value / 100 : payin.value, language);
  const isWaiting = payin.status === "waiting";
  return toPage({
    title: `${value} · ${translate(STATES[payin.status].word, language)} · pix-sandbox`,
    lang: LANGUAGES[language].tag,
    status,
    style: STYLE,
    ...(isWaiting && { script: clock.mode === "real" ? COPY + COUNTDOWN : COPY }),
    body: html`${sandboxNote(language)}
      <main>
        <h1>${translate(TEXTS.title, language)}</h1>
        ${toState(payin.status, language)}
        ${
          isWaiting &&
          notice !== undefined &&
          html`<p class="notice" role="status" data-testid="pay-notice">
            ${translate(NOTICES[notice], language)}
          </p>`
        }
        <dl>
          <div>
            <dt>${translate(TEXTS.to, language)}</dt>
            <dd><bdi data-testid="pay-merchant">${merchantOf(payin)}</bdi></dd>
          </div>
          <div>
            <dt>${translate(TEXTS.value, language)}</dt>
            <dd class="value" data-testid="pay-value">${value}</dd>
          </div>
          ${
            description !== undefined &&
            html`<div>
              <dt>${translate(TEXTS.description, language)}</dt>
              <dd>
                <span class="text" dir="auto" data-testid="pay-description"
                  >${toSafeText(description)}</span
                >
              </dd>
            </div>`
          }
          ${isWaiting ? toCountdown(payin, clock, language) : toReceipt(payin, language)}
        </dl>
        ${isWaiting && toForm(language)} ${isWaiting && toCode(payin.qr_code, language)}
      </main>`,
  });
}

/** The page of an id that no charge has. */
function toUnknownPage(language: Language): Answer {
  return toPage({
    title: `${translate(STATES.unknown.word, language)} · pix-sandbox`,
    lang: LANGUAGES[language].tag,
    status: 404,
    style: STYLE,
    body: html`${sandboxNote(language)}
      <main>
        <h1>${translate(TEXTS.title, language)}</h1>
        ${toState("unknown", language)}
      </main>`,
  });
}

function sandboxNote(language: Language): Html {
  return html`<header>
    <p>
      <strong>${translate(TEXTS.sandbox, language)}</strong> ${translate(TEXTS.noMoney, language)}
    </p>
  </header>`;
}

/** A status, by its word and what it means. */
function toState(status: keyof typeof STATES, language: Language): Html {
  const word = translate(STATES[status].word, language);
  const meaning = translate(STATES[status].meaning, language);
  return html`<div class="state ${status}">
    <p class="word" data-testid="pay-status" data-status="${status}">${word}</p>
    <p>${meaning}</p>
  </div>`;
}

function toCountdown(
  { expires_at }: Payin,
  clock: Pick<Clock, "nowMs" | "mode">,
  language: Language,
): Html {
  const [nowMs, mode] = [clock.nowMs(), clock.mode];
  const expiresAtMs = toEpochMs(expires_at);
  return html`<div>
    <dt>${translate(TEXTS.expiresIn, language)}</dt>
    <dd>
      <span
        class="time"
        role="timer"
        data-testid="pay-countdown"
        data-now="${nowMs}"
        data-expires="${expiresAtMs}"
        data-mode="${mode}"
        >${toTimeLeft(expiresAtMs - nowMs)}</span
      >
      ${mode === "frozen" && html`<span class="frozen">${translate(TEXTS.frozen, language)}</span>`}
    </dd>
  </div>`;
}

/** When a charge was paid, and the id by which both banks know the payment. */
function toReceipt({ settled_at, end_to_end_id }: Payin, language: Language): Html | null {
  if (settled_at === null || end_to_end_id === null) return null;
  const time = new Intl.DateTimeFormat(LANGUAGES[language].tag, TIME).format(toEpochMs(settled_at));
  return html`<div>
      <dt>${translate(TEXTS.paidAt, language)}</dt>
      <dd>${time}</dd>
    </div>
    <div>
      <dt>${translate(TEXTS.endToEndId, language)}</dt>
      <dd class="id" data-testid="pay-end-to-end-id">${end_to_end_id}</dd>
    </div>`;
}

const TIME = { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" } as const;

function toForm(language: Language): Html {
  const button = (action: string): Html => {
    const name = action as keyof typeof BUTTONS;
    return html`<button
      type="submit"
      name="action"
      value="${action}"
      class="${action}"
      data-testid="${action}-button"
    >
      ${translate(BUTTONS[name], language)}
    </button>`;
  };
  // Without an action the form is sent to the page's own address, below whatever path a proxy serves it.
  return html`<form method="post">${["pay", "decline", "expire"].map(button)}</form>`;
}

function toCode(code: string, language: Language): Html {
  const image = `data:image/png;base64,${renderQrPng(code).toString("base64")}`;
  return html`<section>
    <img
      src="${image}"
      alt="${translate(TEXTS.qr, language)}"
      width="220"
      height="220"
      data-testid="pay-qr"
    />
    <div class="code">${toCopyField(code, copyFieldWords(language))}</div>
  </section>`;
}

/** The merchant's name in the charge's BR Code. "?" if the code in the state file was edited and is invalid. */
function merchantOf({ qr_code }: Payin): string {
  return toSafeLine(readBrCode(qr_code).merchantName ?? "?");
}

/** The time left as the script writes it too: `4:00`, or `1:04:00`. */
function toTimeLeft(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${rest.padStart(5, "0")}` : rest;
}

/** Counts down by real time from the sandbox's time in the page. Loads the page again at the end, once. */
const COUNTDOWN = `
const timer = document.querySelector("[data-testid=pay-countdown]");
const left = Number(timer.dataset.expires) - Number(timer.dataset.now);
const loaded = Date.now();
const tick = () => {
  const seconds = Math.max(0, Math.ceil((left - (Date.now() - loaded)) / 1000));
  const hours = Math.floor(seconds / 3600);
  const rest = (Math.floor(seconds / 60) % 60) + ":" + String(seconds % 60).padStart(2, "0");
  timer.textContent = hours > 0 ? hours + ":" + rest.padStart(5, "0") : rest;
  if (seconds > 0) return;
  clearInterval(ticking);
  setTimeout(() => location.reload(), 500);
};
const ticking = setInterval(tick, 250);
`;

const TEXTS = {
  title: say`Pay with Pix`,
  sandbox: say`Sandbox.`,
  noMoney: say`This is a simulation: no money moves.`,
  to: say`Pay to`,
  value: say`Amount`,
  description: say`Description`,
  expiresIn: say`Expires in`,
  frozen: say`The sandbox's clock is frozen. This time does not pass.`,
  qr: say`QR code of this charge`,
  paidAt: say`Paid at`,
  endToEndId: say`End-to-end id`,
} satisfies Record<string, Message>;

const BUTTONS = {
  pay: say`Pay`,
  decline: say`Decline`,
  expire: say`Let it expire`,
} satisfies Record<string, Message>;

const NOTICES = {
  declined: say`You declined. Nothing was charged; the charge is still waiting.`,
  unknown_action: say`Nothing was done: choose one of the buttons below.`,
} satisfies Record<string, Message>;

const STATES = {
  waiting: { word: say`Waiting for payment`, meaning: say`Choose what the buyer does.` },
  paid: { word: say`Paid`, meaning: say`The buyer has paid this charge.` },
  completed: { word: say`Completed`, meaning: say`The payment of this charge is complete.` },
  expired: { word: say`Expired`, meaning: say`This charge can no longer be paid.` },
  canceled: { word: say`Canceled`, meaning: say`This charge was canceled.` },
  unknown: {
    word: say`Unknown charge`,
    meaning: say`This sandbox has no charge with this address. A reset may have deleted it.`,
  },
} satisfies Readonly<Record<PayinStatus | "unknown", { word: Message; meaning: Message }>>;

const STYLE = `
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
p, dl, dd { margin: 0; }
header { padding: 0.5rem 1rem; text-align: center; color: var(--amber); background: var(--amber-soft); }
main {
  max-width: 30rem; margin: 0 auto; padding: 1.25rem 1rem 2rem; background: var(--paper);
}
h1 { margin: 0 0 1rem; font-size: 1.125rem; font-weight: 600; color: var(--dim); }
.state .word { font-size: 1.375rem; font-weight: 700; line-height: 1.25; }
.state p:last-child { color: var(--dim); }
.waiting .word { color: var(--amber); }
.paid .word, .completed .word { color: var(--accent); }
.expired .word, .canceled .word, .unknown .word { color: var(--red); }
.notice {
  margin-top: 1rem; padding: 0.75rem 1rem; border-left: 4px solid var(--blue); border-radius: 4px;
  background: var(--ground);
}
dl { margin-top: 1.25rem; border-top: 1px solid var(--line); }
dl > div { padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
dt { font-size: 0.875rem; color: var(--dim); }
dd { overflow-wrap: anywhere; font-weight: 600; }
.value { font-size: 2rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.id { font: 0.875rem/1.5rem ui-monospace, monospace; }
.text { display: block; font-weight: 400; white-space: pre-wrap; }
.time { font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.frozen { display: block; font-weight: 400; color: var(--dim); }
form { display: grid; grid-template-columns: 1fr 1fr; gap: 0.75rem; margin-top: 1.25rem; }
button {
  min-height: 3rem; padding: 0.5rem 0.75rem; font: inherit; font-weight: 600; border-radius: 8px;
  border: 1px solid var(--dim); color: var(--text); background: transparent; cursor: pointer;
}
.pay {
  grid-column: 1 / -1; min-height: 3.5rem; font-size: 1.125rem; border-color: var(--accent);
  color: var(--on-accent); background: var(--accent);
}
button:hover { box-shadow: inset 0 0 0 1px currentColor; }
button:focus-visible, textarea:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
section { display: grid; gap: 1rem; justify-items: center; margin-top: 1.5rem; }
img { padding: 0; border-radius: 8px; border: 1px solid var(--line); background: #fff; image-rendering: pixelated; }
.code { display: grid; width: 100%; }
label { display: block; margin-bottom: 0.25rem; font-size: 0.875rem; color: var(--dim); }
textarea {
  width: 100%; padding: 0.5rem 0.75rem; font: 0.875rem/1.5 ui-monospace, monospace; resize: none;
  word-break: break-all; border: 1px solid var(--dim); border-radius: 8px; color: inherit;
  background: var(--ground); margin-bottom: 0.5rem;
}
@media (min-width: 40rem) {
  main { max-width: 42rem; margin: 2.5rem auto; padding: 2rem; border-radius: 16px; border: 1px solid var(--line); }
  section { grid-template-columns: auto 1fr; align-items: start; }
}
@media (prefers-contrast: more) { :root { --dim: var(--text); --line: var(--text); } }
`;
