import { COPY, toCopyField, type Html, html, toPage } from "../platform/html.ts";
import { copyFieldWords } from "../text/terms.ts";
import { type Language, LANGUAGES, toReais, translate } from "../text/languages.ts";
import { type Message, say } from "../text/message.ts";
import { type Order, type ProductName, PRODUCTS } from "./orders.ts";

/** The shop's first page: what it sells. */
export function toShopPage(language: Language) {
  const items = Object.keys(PRODUCTS).map((key) => {
    const { name, value } = PRODUCTS[key as ProductName];
    return html`<li>
      <span>${translate(name, language)}</span>
      <strong>${toReais(value, language)}</strong>
      <button name="product" value="${key}" data-testid="buy-${key}">
        ${translate(TEXTS.buy, language)}
      </button>
    </li>`;
  });
  return page(
    TEXTS.title,
    language,
    html`<h1>${translate(TEXTS.title, language)}</h1>
      <form method="post" action="/orders">
        <ul class="products">
          ${items}
        </ul>
      </form>`,
  );
}

/** What the page of an order shows beside the order. */
export interface OrderView {
  /** The QR code of the payer's page, as a phone in the network reaches it: the URL of an image. */
  readonly qrImage: string;
  /** The charge in the inspector; undefined for a reader on another machine. */
  readonly inspectorUrl?: string | undefined;
}

/** The page of an order. It loads again at each step. */
export function toOrderPage(order: Order, view: OrderView | undefined, language: Language) {
  const { status, product, payin, steps, number } = order;
  const { word, shape } = STATUSES[status];
  const isWaiting = view !== undefined && payin !== undefined && status === "waiting";
  return page(
    word,
    language,
    html`<p><a href="/">${translate(TEXTS.back, language)}</a></p>
      <h1>
        ${toReais(product.value, language)}
        <span class="status ${status}" data-testid="order-status" data-status="${status}"
          >${shape} ${translate(word, language)}</span
        >
      </h1>
      <p class="quiet">${translate(product.name, language)} · ${number}</p>
      ${
        isWaiting &&
        html`<section>
          <img
            src="${view.qrImage}"
            alt="${translate(TEXTS.qr, language)}"
            width="220"
            height="220"
            data-testid="order-qr"
          />
          <div>
            <p>${translate(TEXTS.scan, language)}</p>
            <p>
              <a class="button" href="/pay/${payin.id}" data-testid="pay-link"
                >${translate(TEXTS.pay, language)}</a
              >
            </p>
            ${toCopyField(payin.qrCode, copyFieldWords(language))}
          </div>
        </section>`
      }
      <h2>${translate(TEXTS.happened, language)}</h2>
      <ol data-testid="steps" data-count="${steps.length}">
        ${steps.map((step) => toStep(step, language))}
      </ol>
      ${
        view?.inspectorUrl !== undefined &&
        html`<p><a href="${view.inspectorUrl}">${translate(TEXTS.inspector, language)}</a></p>`
      }`,
    isWaiting ? COPY + FOLLOW : FOLLOW,
  );
}

/** The page of an address that the shop does not have. */
export function toMissingPage(language: Language) {
  const back = html`<p><a href="/">${translate(TEXTS.back, language)}</a></p>`;
  const body = html`<h1>${translate(TEXTS.missing, language)}</h1>
    ${back}`;
  return { ...page(TEXTS.missing, language, body), status: 404 };
}

function toStep({ atMs, text, isFailure }: Order["steps"][number], language: Language): Html {
  const { tag } = LANGUAGES[language];
  const time = new Intl.DateTimeFormat(tag, TIME).format(atMs);
  return html`<li class="${isFailure ? "failed" : "done"}">
    <time>${time}</time> <span>${isFailure ? "✕" : "●"} ${translate(text, language)}</span>
  </li>`;
}

const TIME = { timeStyle: "medium", hourCycle: "h23" } as const;

function page(title: Message, language: Language, body: Html, script?: string) {
  return toPage({
    title: `${translate(title, language)} · pix-sandbox`,
    lang: LANGUAGES[language].tag,
    style: STYLE,
    ...(script !== undefined && { script, connect: "'self'" }),
    body: html`<header>${translate(TEXTS.note, language)}</header>
      <main>${body}</main>`,
  });
}

/** Loads the page again when the order has more steps than it shows. */
const FOLLOW = `
const { count } = document.querySelector("[data-testid=steps]").dataset;
new EventSource(location.pathname + "/changes?shown=" + count).onmessage = () => location.reload();
`;

const TEXTS = {
  title: say`A small shop`,
  note: say`A demo of pix-sandbox: no money moves.`,
  buy: say`Buy with Pix`,
  back: say`Back to the shop`,
  scan: say`Scan the code with the camera of a phone in the same network, or pay here.`,
  pay: say`Open the payer's page`,
  qr: say`QR code of the payer's page`,
  happened: say`What happened`,
  inspector: say`See the calls and the webhook in the inspector`,
  missing: say`The shop has no such page.`,
} satisfies Record<string, Message>;

const STATUSES: Readonly<Record<Order["status"], { word: Message; shape: string }>> = {
  open: { word: say.for("order")`no charge`, shape: "✕" },
  waiting: { word: say.for("order")`waiting for the payment`, shape: "○" },
  paid: { word: say.for("order")`paid`, shape: "●" },
  expired: { word: say.for("order")`expired`, shape: "◐" },
};

const STYLE = `
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
header { padding: 0.5rem 1rem; text-align: center; color: var(--amber); background: var(--amber-soft); }
main { max-width: 42rem; margin: 0 auto; padding: 1.25rem 1rem 2rem; background: var(--paper); }
h1 { margin: 0.5rem 0; font-size: 1.5rem; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
a { color: var(--accent); }
.quiet, time { color: var(--dim); }
.status { font-size: 1rem; font-weight: 600; white-space: nowrap; }
.paid { color: var(--accent); }
.waiting { color: var(--amber); }
.open, .expired, .failed span { color: var(--red); }
ul, ol { margin: 0; padding: 0; list-style: none; }
.products li {
  display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; padding: 1rem 0;
  border-bottom: 1px solid var(--line);
}
.products span { flex: 1 1 12rem; }
.products strong { flex: 1; font-variant-numeric: tabular-nums; }
button, .button {
  display: inline-block; min-height: 2.75rem; padding: 0.625rem 1rem; font: inherit; font-weight: 600;
  border: 0; border-radius: 8px; color: var(--on-accent); background: var(--accent);
  text-decoration: none; cursor: pointer;
}
[hidden] { display: none; }
button:focus-visible, a:focus-visible, textarea:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
section { display: grid; gap: 1.5rem; margin-top: 1rem; }
img { border-radius: 8px; border: 1px solid var(--line); background: #fff; image-rendering: pixelated; }
label { display: block; font-size: 0.875rem; color: var(--dim); }
textarea {
  width: 100%; padding: 0.5rem; font: 0.8125rem/1.5 ui-monospace, monospace; resize: none;
  word-break: break-all; border: 1px solid var(--line); border-radius: 8px; color: inherit;
  background: var(--ground);
}
ol li { display: flex; gap: 1rem; padding: 0.375rem 0; }
time { font-variant-numeric: tabular-nums; }
@media (min-width: 40rem) {
  .products strong { flex: none; }
  main { margin: 2.5rem auto; padding: 2rem; border-radius: 16px; border: 1px solid var(--line); }
  section { grid-template-columns: auto 1fr; }
}
`;
