import { fileURLToPath } from "node:url";
import { build, type PluginBuild } from "esbuild";
import type { Activity } from "../../src/inspector/state/activity.ts";
import type { Place } from "../../src/inspector/state/place.ts";
import type { Rows } from "../../src/inspector/state/rows.ts";
import type * as wire from "../../src/inspector/state/wire.ts";
import type { Sandbox } from "../../src/index.ts";
import type { Language } from "../../src/text/languages.ts";
import type { Message } from "../../src/text/message.ts";

/** After this long without a byte, the page connects again. */
const SILENT_AFTER_MS = 40_000;

/** What a tab of a browser keeps when its page is loaded again. */
export class Tab {
  readonly session = new Storage();
  readonly local = new Storage();
  navigatorLanguage = "en-US";
  /** How many rows a list loads at once; default: as many as the page requests. */
  pageRows: number | undefined;
  /** How often the page has loaded itself again. */
  reloads = 0;
  /** What the page does when nothing has arrived for a while: a test calls it. */
  onSilence: (() => void) | undefined;
  /** The paths that the page has fetched, with their methods. */
  readonly fetched: string[] = [];
  /** Stands in for the sandbox: returns a response, or undefined to let the sandbox respond. */
  respond: ((path: string, signal: AbortSignal) => Promise<Response> | undefined) | undefined;
  #closed = new AbortController();
  url: string;
  readonly #listeners = new Map<string, (event: unknown) => void>();
  /** The element that a selector finds. */
  readonly elements = new Map<string, object>();
  readonly documentElement = { lang: "" };
  /** The address's fragment. */
  hash = "";
  /** Whether the tab is in the background: it has no animation frames then. */
  hidden = false;

  constructor(sandbox: Pick<Sandbox, "url">) {
    this.url = sandbox.url;
  }

  /** Loads the page's state anew, with a browser's globals. The page that was open before fetches nothing any more. */
  async open(hash = ""): Promise<PageModules> {
    this.close();
    this.#closed = new AbortController();
    this.#listeners.clear();
    this.hash = hash;
    const globals = this.#globals(this.#closed.signal);
    const code = `${await (script ??= bundle())}; return page;`;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- The page's own code, as in a browser's tab.
    const run = new Function(...Object.keys(globals), code);
    const page = run(...Object.values(globals)) as PageModules;
    await page.languages.loadLanguages();
    return page;
  }

  #globals(closed: AbortSignal): Readonly<Record<string, unknown>> {
    const addEventListener = (type: string, listener: (event: unknown) => void) =>
      this.#listeners.set(type, listener);
    return {
      addEventListener,
      requestAnimationFrame: (draw: () => void) => this.hidden || setImmediate(draw),
      setTimeout: (act: () => void, ms = 0) =>
        ms === SILENT_AFTER_MS ? (this.onSilence = () => act()) : setTimeout(act, ms),
      clearTimeout: (timer: unknown) => {
        if (timer === this.onSilence) this.onSilence = undefined;
        else clearTimeout(timer as NodeJS.Timeout);
      },
      sessionStorage: this.session,
      localStorage: this.local,
      navigator: { language: this.navigatorLanguage },
      history: { replaceState: (_: null, __: "", next: string) => (this.hash = next) },
      location: Object.defineProperty(
        { origin: this.url, reload: () => void this.reloads++ },
        "hash",
        {
          get: () => this.hash,
          set: (next: string) => {
            this.hash = next;
          },
        },
      ),
      document: Object.defineProperty(
        {
          documentElement: this.documentElement,
          addEventListener,
          querySelector: (selector: string) => this.elements.get(selector) ?? null,
        },
        "hidden",
        { get: () => this.hidden },
      ),
      fetch: (path: string, init: RequestInit = {}) => {
        if (closed.aborted) return new Promise(() => undefined);
        this.fetched.push(`${init.method ?? "GET"} ${path}`);
        const rows = this.pageRows ?? 1000;
        const url = new URL(path.replace("limit=1000", `limit=${rows}`), this.url);
        const signal = init.signal ? AbortSignal.any([init.signal, closed]) : closed;
        return this.respond?.(path, signal) ?? fetch(url, { ...init, signal });
      },
    };
  }

  /** What the browser reports, such as `hashchange`. */
  report(type: string, event: unknown = {}): void {
    this.#listeners.get(type)?.(event);
  }

  /** The page fetches nothing any more. */
  close(): void {
    this.#closed.abort();
  }
}

/** What tests use of the page's modules: their own types would bring those of a browser into every test. */
export interface PageModules {
  readonly languages: { loadLanguages(): Promise<void> };
  readonly actions: {
    readonly asked: Value<Action | undefined>;
    readonly failure: Value<string | undefined>;
    run(action: Action): Promise<void>;
    commandLine(command: readonly string[], integration?: string | null): string;
    completeCommand(line: string): string;
    curlLine(action: Action): string;
  };
  readonly control: {
    readonly ControlError: new (status: number, message: string) => Error;
    readonly scope: Value<string | null>;
    chooseScope(integration: string | null): void;
    control(method: string, path: string, options?: object): Promise<unknown>;
  };
  readonly keys: {
    readonly listKeys: { current: { move(rows: number): void; focus(): void } | undefined };
    readonly recordKeys: { row: (() => Readonly<Record<string, () => void>>) | undefined };
    readonly focusWanted: { readonly current: boolean };
    readonly isHelpOpen: Value<boolean>;
    useRecordKeys(keys: Readonly<Record<string, () => void>>): void;
    useKeys(): void;
  };
  readonly language: {
    readonly language: Value<Language>;
    chooseLanguage(choice: Language): void;
    locale(): string;
    t(text: Message): string;
  };
  readonly live: {
    readonly connection: Value<"connecting" | "live" | "reconnecting" | "lost">;
    readonly isPaused: Value<boolean>;
    readonly waiting: Value<number>;
    follow(): Promise<never>;
    pause(): void;
    resume(): void;
    reload(): void;
    retryNow(): void;
  };
  readonly navigation: {
    readonly place: Value<Place>;
    go(place: Place): void;
    filter(change: Pick<Place, "status" | "q">): void;
    closeRecord(): void;
  };
  readonly sandbox: {
    readonly payins: Rows<wire.WirePayin>;
    readonly payouts: Rows<wire.WirePayout>;
    readonly deliveries: Rows<wire.WireDelivery>;
    readonly requests: Rows<wire.WireRequest>;
    readonly activity: Rows<Activity>;
    readonly about: Value<object | undefined>;
    readonly assumptions: Value<readonly wire.WireAssumption[]>;
    readonly clock: Value<wire.WireClock>;
    readonly faults: Value<readonly wire.WireFault[]>;
    readonly integrations: Value<readonly string[]>;
    readonly isInCentavos: Value<boolean>;
    readonly loads: Value<number>;
    readonly nextDue: Value<wire.WireTask | null>;
    readonly pulse: Value<number>;
    readonly review: Value<wire.WireReview>;
    readonly rules: Value<ReadonlyMap<string, wire.WireRule>>;
    readonly secret: Value<string | undefined>;
    readonly sending: ReadonlySet<string>;
    readonly snapshots: Value<readonly wire.WireSnapshot[]>;
    nowMs(): number;
    loadAll(): Promise<void>;
    loadAssumptions(): Promise<void>;
    loadNewest(list: "payins"): Promise<void>;
    loadOlder(list: "payins"): Promise<void>;
    loadRules(): Promise<void>;
    loadSnapshots(): Promise<void>;
  };
  readonly secrets: { secretOf(integration: string): Promise<string> };
  readonly transactions: { transactionPlace(delivery: wire.WireDelivery): Place };
  readonly webhook: {
    shownStatus(delivery: wire.WireDelivery): string;
  };
}

interface Value<Type> {
  value: Type;
}

/** As in `state/actions.ts`. */
export interface Action {
  readonly label: string;
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body?: unknown;
  readonly command: readonly string[] | undefined;
  readonly integration?: string | null;
  readonly question?: string;
  readonly onDone?: () => Promise<unknown>;
}

const MODULES: Readonly<Record<keyof PageModules, string>> = {
  languages: "../text/languages.ts",
  actions: "./state/actions.ts",
  control: "./state/control.ts",
  keys: "./state/keys.ts",
  language: "./state/language.ts",
  live: "./state/live.ts",
  navigation: "./state/navigation.ts",
  sandbox: "./state/sandbox.ts",
  secrets: "./state/secrets.ts",
  transactions: "./state/transaction-place.ts",
  webhook: "./state/webhook.ts",
};

let script: Promise<string> | undefined;

/** The modules as one script. Each run of it is a page of its own. */
async function bundle(): Promise<string> {
  const names = Object.entries(MODULES);
  const { outputFiles } = await build({
    stdin: {
      contents: names.map(([name, file]) => `export * as ${name} from "${file}";`).join("\n"),
      resolveDir: fileURLToPath(new URL("../../src/inspector", import.meta.url)),
    },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "page",
    plugins: [{ name: "hooks", setup: withEffects }],
  });
  return outputFiles[0]?.text ?? "";
}

/** Without markup, effects run at once. */
function withEffects({ onResolve, onLoad }: PluginBuild): void {
  onResolve({ filter: /^preact\/hooks$/ }, ({ path }) => ({ path, namespace: "hooks" }));
  onLoad({ filter: /^/, namespace: "hooks" }, () => ({
    contents: `
      export const useEffect = (run) => void run();
      export const useMemo = undefined, useRef = undefined;`,
  }));
}

/** As a browser's, in memory. */
class Storage {
  readonly #texts = new Map<string, string>();
  getItem = (key: string): string | null => this.#texts.get(key) ?? null;
  setItem = (key: string, text: string): void => void this.#texts.set(key, text);
  removeItem = (key: string): void => void this.#texts.delete(key);
}
