import * as z from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { Language, LocalizedText } from "../../core/localized-text.ts";
import { readBrCode } from "../../core/payments/br-code.ts";
import type { Payin, PayinStatus } from "../../core/payments/payin.ts";
import { toSafeText } from "../../core/safe-text.ts";
import type { Clock } from "../../core/time/clock.ts";
import { toIso } from "../../core/time/timestamp.ts";
import { type Answer, toRedirect } from "../answers/answer.ts";
import { type Html, html, toPage } from "../answers/html.ts";
import { renderQrPng } from "../answers/qr-image.ts";
import { type Call, readId } from "../call.ts";
import type { Context } from "../context.ts";
import { readForm } from "../parse/form.ts";
import { pageLanguage } from "../parse/headers.ts";
import { definePage } from "../route.ts";

/** The buttons of the form. */
const form = z.object({ action: z.enum(["pay", "decline", "expire"]) });

/** The page on which a buyer pays a charge: a browser test, or a colleague with a phone. */
export const payerPages = [
  definePage({
    path: "/_sandbox/pay/{id}",
    method: "GET",
    isOpen: true,
    handle: async (call, context) => toPayerPage(call, context, await findPayin(call, context)),
  }),

  definePage({
    path: "/_sandbox/pay/{id}",
    method: "POST",
    isOpen: true,
    handle: async (call, context) => {
      const action = (await readForm(call, form))?.action;
      const payin = await findPayin(call, context);
      if (!payin) return toPayerPage(call, context, undefined);
      if (action === "pay" || action === "expire")
        await context.gateway.movePayin(null, payin.id, action).catch(ignoreFinal);
      const notice = action === "decline" ? "?notice=declined" : "";
      // The browser reads the page anew: a reload repeats no payment.
      return toRedirect(`/_sandbox/pay/${payin.id}${notice}`);
    },
  }),
];

/** By its whole id: a prefix would let a payer open the charges of others. */
function findPayin(call: Call, { gateway }: Context): Promise<Payin | undefined> {
  return gateway.read(null, (view) => view.payin(readId(call)));
}

/** A charge that has its final status meanwhile is shown as it is. */
function ignoreFinal(error: unknown): void {
  if (!(error instanceof GatewayError)) throw error;
}

function toPayerPage(call: Call, { clock }: Context, payin: Payin | undefined): Answer {
  const language = pageLanguage(call);
  if (!payin) {
    const title = TEXTS.unknown[language];
    const body = html`<main>
      <h1 data-testid="pay-status">${title}</h1>
      <p>${TEXTS.unknownHint[language]}</p>
    </main>`;
    return toPage({ title, language, style: STYLE, body, status: 404 });
  }
  const isDeclined = call.url.searchParams.get("notice") === "declined";
  const isCounting = payin.status === "waiting" && clock.mode === "real";
  return toPage({
    title: `${TEXTS.title[language]} · pix-sandbox`,
    language,
    style: STYLE,
    ...(isCounting && { script: COUNTDOWN }),
    body: bodyOf(payin, clock, language, isDeclined),
  });
}

function bodyOf(payin: Payin, clock: Clock, language: Language, isDeclined: boolean): Html {
  const text = (name: keyof typeof TEXTS): string => TEXTS[name][language];
  const { status, description, qrCode } = payin;
  const isWaiting = status === "waiting";
  const notice = html`<p class="notice" role="status" data-testid="pay-notice">
    ${text("declined")}
  </p>`;
  const merchant = toSafeText(readBrCode(qrCode).merchantName);
  return html`<main>
    <p class="sandbox">${text("sandbox")}</p>
    <h1>
      <span class="to">${text("payTo")}</span>
      <bdi data-testid="pay-merchant">${merchant}</bdi>
    </h1>
    <p class="value" data-testid="pay-value">${moneyOf(payin, language)}</p>
    ${description !== undefined && html`<p class="description"><bdi>${toSafeText(description)}</bdi></p>`}
    <p class="status ${STATUSES[status].tone}" data-testid="pay-status" data-status="${status}">
      <span aria-hidden="true">${STATUSES[status].shape}</span> ${STATUSES[status].text[language]}
    </p>
    ${isWaiting && countdown(payin, clock, language)} ${isWaiting && isDeclined && notice}
    ${isWaiting && actions(language)} ${isWaiting && codeOf(qrCode, language)}
  </main>`;
}

function countdown({ expiresAtMs }: Payin, clock: Clock, language: Language): Html {
  const leftMs = Math.max(0, expiresAtMs - clock.nowMs());
  const text = clock.mode === "real" ? TEXTS.expiresIn : TEXTS.frozen;
  return html`<p class="countdown" data-testid="pay-countdown">
    ${text[language]}
    <time datetime="${toIso(expiresAtMs)}" data-left="${leftMs}">${durationOf(leftMs)}</time>
  </p>`;
}

function actions(language: Language): Html {
  const button = (action: string, text: LocalizedText, kind = "") =>
    html`<button name="action" value="${action}" class="${kind}" data-testid="${action}-button">
      ${text[language]}
    </button>`;
  return html`<form method="post">
    ${button("pay", TEXTS.pay, "main")} ${button("decline", TEXTS.decline)}
    ${button("expire", TEXTS.expire)}
  </form>`;
}

function codeOf(code: string, language: Language): Html {
  const picture = renderQrPng(code).toString("base64");
  return html`<section>
    <h2>${TEXTS.code[language]}</h2>
    <img
      src="data:image/png;base64,${picture}"
      alt="${TEXTS.qr[language]}"
      width="240"
      height="240"
      data-testid="pay-qr"
    />
    <label for="code">${TEXTS.copy[language]}</label>
    <textarea id="code" readonly rows="5" spellcheck="false" data-testid="pay-code">
${code}</textarea>
  </section>`;
}

function moneyOf({ valueCents }: Payin, language: Language): string {
  return new Intl.NumberFormat(language === "pt" ? "pt-BR" : "en-US", {
    style: "currency",
    currency: "BRL",
  }).format(valueCents / 100);
}

/** Such as 03:59, or 47:59:59. */
function durationOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3600);
  return (hours > 0 ? [hours, ...parts] : parts)
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** Counts down by the sandbox's clock, which runs as real time does, and loads the page anew at the end. */
const COUNTDOWN = `
const time = document.querySelector("time[data-left]");
const end = performance.now() + Number(time.dataset.left);
const two = (number) => String(number).padStart(2, "0");
const tick = () => {
  const left = end - performance.now();
  if (left < -500) return location.reload();
  const seconds = Math.max(0, Math.ceil(left / 1000));
  const hours = Math.floor(seconds / 3600);
  const rest = two(Math.floor(seconds / 60) % 60) + ":" + two(seconds % 60);
  time.textContent = hours > 0 ? two(hours) + ":" + rest : rest;
  setTimeout(tick, 250);
};
tick();
`;

interface StatusText {
  readonly shape: string;
  readonly tone: string;
  readonly text: LocalizedText;
}

const STATUSES: Readonly<Record<PayinStatus, StatusText>> = {
  waiting: {
    shape: "○",
    tone: "open",
    text: { en: "Waiting for payment", pt: "Aguardando pagamento" },
  },
  paid: { shape: "●", tone: "good", text: { en: "Paid", pt: "Pago" } },
  completed: { shape: "●", tone: "good", text: { en: "Completed", pt: "Concluído" } },
  expired: { shape: "◇", tone: "bad", text: { en: "Expired", pt: "Expirado" } },
  canceled: { shape: "✕", tone: "bad", text: { en: "Canceled", pt: "Cancelado" } },
};

const TEXTS = {
  title: { en: "Pay with PIX", pt: "Pagar com PIX" },
  sandbox: {
    en: "This is a sandbox: no money moves.",
    pt: "Este é um sandbox: nenhum dinheiro é movimentado.",
  },
  payTo: { en: "Pay to", pt: "Pagar a" },
  expiresIn: { en: "Expires in", pt: "Expira em" },
  frozen: {
    en: "The sandbox's clock is frozen. Time left:",
    pt: "O relógio do sandbox está congelado. Tempo restante:",
  },
  pay: { en: "Pay", pt: "Pagar" },
  decline: { en: "Decline", pt: "Recusar" },
  expire: { en: "Let it expire", pt: "Deixar expirar" },
  declined: {
    en: "You declined. Nothing was paid, and the charge is still waiting.",
    pt: "Você recusou. Nada foi pago, e a cobrança continua aguardando.",
  },
  code: { en: "Or pay with the code", pt: "Ou pague com o código" },
  qr: { en: "QR code of this charge", pt: "QR Code desta cobrança" },
  copy: { en: "PIX copy and paste", pt: "PIX copia e cola" },
  unknown: { en: "Unknown charge", pt: "Cobrança desconhecida" },
  unknownHint: {
    en: "This sandbox has no charge with this id. A reset may have deleted it.",
    pt: "Este sandbox não tem uma cobrança com este id. Um reset pode tê-la excluído.",
  },
};

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f27; --dim: #565e6c; --page: #f6f7f9; --card: #fff; --line: #d5d9e2;
  --accent: #0b6e4f; --on-accent: #fff; --good: #0b6e4f; --bad: #b3261e; --open: #80560a; --soft: #fdf0d5; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ef; --dim: #a3acba; --page: #14171c; --card: #1b1f26; --line: #363d49;
    --accent: #4fc79b; --on-accent: #06251a; --good: #5fd3a8; --bad: #ff9b92; --open: #eebf66; --soft: #3a2f17; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
main { max-width: 26rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; background: var(--card); min-height: 100vh; }
@media (min-width: 30rem) { main { margin: 2.5rem auto; min-height: 0; border: 1px solid var(--line); border-radius: 12px; } }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 1rem 0 0.25rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 2rem 0 0.75rem; }
.to { display: block; font-size: 0.95rem; font-weight: 400; color: var(--dim); }
.sandbox { margin: 0; padding: 0.4rem 0.75rem; border-radius: 6px; background: var(--soft); font-size: 0.9rem; }
.value { font-size: 2.2rem; font-weight: 700; margin: 0.25rem 0; }
.description { margin: 0.25rem 0; color: var(--dim); overflow-wrap: anywhere; }
.status { font-size: 1.1rem; font-weight: 600; margin: 0.75rem 0 0; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
.countdown { margin: 0.25rem 0 0; color: var(--dim); }
.countdown time { color: var(--text); font-variant-numeric: tabular-nums; font-weight: 600; white-space: nowrap; }
.notice { padding: 0.6rem 0.75rem; border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0 0; }
form { display: grid; grid-template-columns: 1fr 1fr; gap: 0.6rem; margin-top: 1.25rem; }
button { font: inherit; min-height: 3rem; padding: 0.5rem 1rem; border-radius: 8px; border: 1px solid var(--line);
  background: transparent; color: inherit; cursor: pointer; }
button.main { grid-column: 1 / -1; border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 700; }
button:hover { border-color: var(--dim); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
img { display: block; margin: 0 auto 1rem; width: 15rem; height: 15rem; border-radius: 8px; background: #fff; image-rendering: pixelated; }
label { display: block; font-size: 0.9rem; color: var(--dim); margin-bottom: 0.25rem; }
textarea { width: 100%; font: 0.85rem/1.4 ui-monospace, Menlo, Consolas, monospace; padding: 0.6rem; border-radius: 6px;
  border: 1px solid var(--line); background: var(--page); color: inherit; resize: vertical; overflow-wrap: anywhere; }
`;
