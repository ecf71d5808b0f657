// What a page and the sandbox in its worker say to each other. Calls and webhooks are numbered by who begins them.

/** How a sandbox in a tab starts. */
export interface TabStart {
  /** As `startSandbox` takes them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The trace that its records come from. */
  readonly trace?: unknown;
  /** After how many steps of the trace. */
  readonly position?: number;
  /** Whether the records stay as they are. */
  readonly isStill?: boolean;
}

/** A call of the page, as `fetch` takes it. */
export interface TabCall {
  readonly path: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** A webhook on its way to the simulated merchant. */
export interface TabWebhook {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether its signature is right. */
  readonly isValid: boolean;
}

/** What the simulated merchant responds. */
export interface TabResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type ToWorker =
  | { readonly type: "start"; readonly start: TabStart }
  | { readonly type: "call"; readonly number: number; readonly call: TabCall }
  | { readonly type: "abort"; readonly number: number }
  | { readonly type: "responded"; readonly number: number; readonly response: TabResponse }
  | { readonly type: "not_responded"; readonly number: number; readonly reason: string };

/** The body of a response follows in chunks. */
export type FromWorker =
  | { readonly type: "ready"; readonly secret: string }
  | { readonly type: "not_started"; readonly reason: string }
  | {
      readonly type: "answered";
      readonly number: number;
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
    }
  | { readonly type: "chunk"; readonly number: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: "end"; readonly number: number }
  | { readonly type: "failed"; readonly number: number; readonly reason: string }
  | { readonly type: "webhook"; readonly number: number; readonly webhook: TabWebhook };
