import { toJson } from "./quote.ts";
import { LANGUAGE_NAMES, translate } from "../../text/languages.ts";
import {
  callOf,
  expectedBody,
  type Step,
  type Story,
  type Template,
  Variable,
  WEBHOOK_URL,
} from "./story.ts";
import { joined, type Message } from "../../text/message.ts";

/** Writes a story as a scenario file. */
export function toScenario({ about, notes, steps }: Story): string {
  const all = [about, ...notes];
  const writer = new Writer();
  const lines = steps.map(
    (step) => `    ${toJson({ says: inEachLanguage(step.says), ...writer.write(step) })}`,
  );
  return `{\n  "about": ${toJson(inEachLanguage(joined(all)))},\n  "steps": [\n${lines.join(",\n")}\n  ]\n}`;
}

/** A scenario describes itself in every language. */
function inEachLanguage(text: Message): Readonly<Record<string, string>> {
  return Object.fromEntries(LANGUAGE_NAMES.map((name) => [name, translate(text, name)]));
}

/** What a scenario reads as `{{`. */
const LITERAL_BRACES = '{{"{{"}}';

class Writer {
  /** The transactions that a step of their kind has created: other verbs can name only these. */
  readonly #created = new Set<string>();
  /** Those whose id is that of the first entry of a list. */
  readonly #found = new Set<string>();

  /** The first integration has the scenario's own token; the steps of others are calls with a token of their own. */
  write(step: Step): object {
    const isOwn = step.integration === 0 || step.integration === "all";
    const isNamed = !("of" in step) || this.#created.has(step.of.name);
    const written = isOwn && isNamed ? this.#writeVerb(step) : undefined;
    return written ?? this.#writeCall(step);
  }

  /** @returns undefined for a step that only a plain call can be. */
  #writeVerb(step: Step): object | undefined {
    switch (step.kind) {
      case "create": {
        // The verbs have no headers, and complete a body.
        if (!step.as || step.fault !== undefined || step.path !== `/v1/${step.noun}s`)
          return undefined;
        this.#created.add(step.as.name);
        return { [`create_${step.noun}`]: this.#fill(step.body), key: step.key, as: step.as.name };
      }
      case "move": {
        const { status, members = {} } = step.expected;
        return { [step.move]: step.of.name, answer: { status, body: this.#fill(members) } };
      }
      case "freeze":
        return { clock: "freeze" };
      case "advance":
        return { clock: `advance ${step.ms}ms` };
      case "settle":
        return { settle: true };
      case "record":
        return { expect_record: step.of.name, members: step.members };
      case "webhooks": {
        const are = step.are.map(({ type, attempts }) =>
          attempts === undefined
            ? { type }
            : { type, status: "delivered", attempts: Array.from({ length: attempts }, () => 200) },
        );
        return { expect_webhooks: step.of.name, are };
      }
      case "simulate":
      case "gateway":
      case "find":
      case "fault":
      case "assume":
        return undefined;
    }
  }

  #writeCall(step: Step): object {
    const { method, path, body, key, fault, expected, as } = callOf(step);
    const target = path
      .map((part) => (part instanceof Variable ? this.#reference(part) : part))
      .join("");
    if (step.kind === "find") this.#found.add(step.as.name);
    const headers = {
      ...(typeof step.integration === "number" &&
        step.integration > 0 && { "x-api-token": `{{merchant.url}}/${step.integration + 1}` }),
      ...(fault !== undefined && { "x-sandbox-fault": fault }),
    };
    const wanted = expected === "lost" ? undefined : expectedBody(expected);
    return {
      call: `${method} ${target}`,
      ...(body !== undefined && { body: this.#fill(body) }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(key !== undefined && { key }),
      ...(as && { as: as.name }),
      answer:
        expected === "lost"
          ? { lost: true }
          : { status: expected.status, ...(wanted !== undefined && { body: this.#fill(wanted) }) },
    };
  }

  /** The value with references for variables. Braces in a text are no references. */
  #fill(value: Template): unknown {
    if (typeof value === "string") return value.replaceAll("{{", LITERAL_BRACES);
    if (value instanceof Variable) return this.#reference(value);
    if (Array.isArray(value)) return (value as Template[]).map((each) => this.#fill(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value as Record<string, Template>).map(([name, each]) => [
        name,
        this.#fill(each),
      ]),
    );
  }

  #reference({ name }: Variable): string {
    if (name === WEBHOOK_URL.name) return "{{merchant.url}}";
    return this.#found.has(name) ? `{{${name}.data.0.id}}` : `{{${name}.id}}`;
  }
}
