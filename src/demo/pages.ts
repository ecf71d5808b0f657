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

/** The page of an order. It loads again at each step. */
export function toOrderPage(
  order: Order,
  /** The QR code of the payer's page for a phone, and the sandbox's address, where they are reached. */
  { qr, inspector }: { readonly qr?: Buffer | undefined; readonly inspector?: string | undefined },
  language: Language,
) {
  const { status, product, payin, steps, number } = order;
  const { word, shape } = STATUSES[status];
  const isWaiting = payin !== undefined && status === "waiting";
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
          ${
            qr !== undefined &&
            html`<p>${translate(TEXTS.scan, language)}</p>
              <img
                src="data:image/png;base64,${qr.toString("base64")}"
                alt="${translate(TEXTS.qr, language)}"
                width="220"
                height="220"
                data-testid="order-qr"
              />`
          }
          <p>
            <a class="button" href="/pay/${payin.id}" data-testid="pay-link"
              >${translate(TEXTS.pay, language)}</a
            >
          </p>
          ${toCopyField(payin.qrCode, copyFieldWords(language))}
        </section>`
      }
      <h2>${translate(TEXTS.happened, language)}</h2>
      <ol data-testid="steps" data-count="${steps.length}">
        ${steps.map((step) => toStep(step, language))}
      </ol>
      ${
        inspector !== undefined &&
        payin !== undefined &&
        html`<p>
          <a href="${inspector}/_sandbox/#/payins/${payin.id}"
            >${translate(TEXTS.inspector, language)}</a
          >
        </p>`
      }`,
    isWaiting ? COPY + FOLLOW : FOLLOW,
  );
}

/** The way back from the payer's page to the order. */
export function toBackLink({ number }: Order, language: Language): Html {
  return html`<p>
    <a href="/orders/${number}" data-testid="order-link">${translate(TEXTS.order, language)}</a>
  </p>`;
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
  order: say`Back to the order`,
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
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
header { padding: 0.5rem 1rem; text-align: center; color: var(--amber); background: var(--amber-soft); }
main { max-width: 42rem; margin: 0 auto; padding: 1.25rem 1rem 2rem; background: var(--paper); }
h1 { font-size: 1.5rem; }
h2 { font-size: 1rem; }
a { color: var(--accent); }
.quiet, time, label { color: var(--dim); }
.status { font-size: 1rem; white-space: nowrap; }
.paid { color: var(--accent); }
.waiting { color: var(--amber); }
.open, .expired, .failed span { color: var(--red); }
ul, ol { padding: 0; list-style: none; }
li { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; padding: 0.5rem 0; }
.products span { flex: 1 1 12rem; }
button, .button {
  display: inline-block; padding: 0.625rem 1rem; font: inherit; font-weight: 600; border: 0;
  border-radius: 8px; color: var(--on-accent); background: var(--accent); text-decoration: none;
}
[hidden] { display: none; }
img { image-rendering: pixelated; border: 1px solid var(--line); }
textarea { display: block; box-sizing: border-box; width: 100%; margin-bottom: 0.5rem; word-break: break-all; }
`;
