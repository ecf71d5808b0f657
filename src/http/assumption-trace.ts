import type { H3Event } from "h3";
import {
  ASSUMPTION_NAMES,
  type AssumptionName,
  type Assumptions,
  STANDARD_ASSUMPTIONS,
} from "../core/assumptions/table.ts";
import type { Context } from "./context.ts";
import { readToken } from "./headers.ts";

/** One request's view of the choices that hold, and which of them were asked on the way to its answer. */
interface Asked {
  readonly held: Assumptions;
  readonly view: Assumptions;
  readonly names: Set<string | symbol>;
}

const askedByEvent = new WeakMap<H3Event, Asked>();
const askedByView = new WeakMap<Assumptions, Asked>();

/**
 * The choices that hold for a gateway request. Where its answer may have one to name, they are a view
 * that notes which are asked; where all are the default and nobody wants to know, they are as they are.
 */
export function assumptionsFor(event: H3Event, { gateway, explain }: Context): Assumptions {
  const earlier = askedByEvent.get(event);
  if (earlier) return earlier.view;
  const held = gateway.assumptionsOf(readToken(event));
  if (!explain && isStandard(held)) return held;
  const names = new Set<string | symbol>();
  const view = new Proxy(held, {
    get(target, name) {
      names.add(name);
      return Reflect.get(target, name) as unknown;
    },
  });
  const asked = { held, view, names };
  askedByEvent.set(event, asked);
  askedByView.set(view, asked);
  if (event.url.pathname.startsWith("/v2/")) recordAssumptions(view, ["payin.v2"]);
  return view;
}

/** The choices behind a view: the same for every request that they hold for. */
export function underlyingAssumptions(view: Assumptions): Assumptions {
  return askedByView.get(view)?.held ?? view;
}

/** Notes for the answer what was not asked of the view itself, but of what is made from the choices behind it. */
export function recordAssumptions(view: Assumptions, names: readonly AssumptionName[]): void {
  const asked = askedByView.get(view);
  if (asked) for (const name of names) asked.names.add(name);
}

/** What stands in `x-sandbox-assumption`: the choices asked, those alone that are not the default unless all are wanted. */
export function namedChoices(event: H3Event, explain: boolean): string | undefined {
  const asked = askedByEvent.get(event);
  if (!asked) return undefined;
  const named = ASSUMPTION_NAMES.filter(
    (name) => asked.names.has(name) && (explain || !isDefault(name, asked.held)),
  );
  return named.map((name) => `${name}=${asked.held[name]}`).join(", ") || undefined;
}

const standard = new WeakMap<Assumptions, boolean>();

/** Looked at once for each set of choices: most integrations share one. */
function isStandard(held: Assumptions): boolean {
  let known = standard.get(held);
  if (known === undefined) {
    known = ASSUMPTION_NAMES.every((name) => isDefault(name, held));
    standard.set(held, known);
  }
  return known;
}

function isDefault(name: AssumptionName, held: Assumptions): boolean {
  return held[name] === STANDARD_ASSUMPTIONS[name];
}
