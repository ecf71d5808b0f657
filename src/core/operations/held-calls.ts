import { type FieldError, invalidFields } from "../records/errors.ts";
import { say } from "../../text/message.ts";

/** Names a held call: by its position in the order of arrival, from 0 on, or by its idempotency key. */
export type HeldName = number | string;

/** A call that waits until its fault is released. */
export class HeldCall {
  readonly key: string | null;
  /** Resolves when it is this call's turn; rejects if the call is dropped before. */
  readonly turn: Promise<void>;
  /** Resolves when the next call may run: this one has committed or was dropped. */
  readonly end: Promise<void>;
  /** Settles when the response can be sent. */
  answerable: Promise<unknown> = Promise.resolve();
  readonly #onRelease: (call: HeldCall) => void;
  #resolveTurn: () => void = () => undefined;
  #rejectTurn: (reason: Error) => void = () => undefined;
  #resolveEnd: () => void = () => undefined;
  #hasTurn = false;

  /** @param onRelease is called when the call is released or dropped; it may be called twice */
  constructor(key: string | null, onRelease: (call: HeldCall) => void) {
    this.key = key;
    this.#onRelease = onRelease;
    this.turn = new Promise((resolve, reject) => {
      this.#resolveTurn = resolve;
      this.#rejectTurn = reject;
    });
    this.end = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
  }

  /** Removes the call from its fault's held calls; its turn comes later. */
  release(): void {
    this.#onRelease(this);
  }

  giveTurn(): void {
    this.#hasTurn = true;
    this.#resolveTurn();
  }

  /** Reports that the call has committed, and when its response can be sent. */
  decided(answerable: Promise<unknown>): void {
    this.answerable = answerable;
    this.#resolveEnd();
  }

  /** Ends the call before its turn; a call that has its turn continues. */
  drop(reason: Error): void {
    if (this.#hasTurn) return;
    this.release();
    this.#rejectTurn(reason);
    this.#resolveEnd();
  }
}

/** The calls that each fault holds, in the order of their arrival. */
export class HeldCalls {
  readonly #byFault = new Map<string, HeldCall[]>();

  /**
   * Makes a call wait.
   * @param key its idempotency key; null if it has none
   * @param onRelease is called once, when the call is released or dropped, before its turn
   */
  hold(faultId: string, key: string | null, onRelease: () => void = () => undefined): HeldCall {
    const call = new HeldCall(key, (one) => this.#remove(faultId, one, onRelease));
    const calls = this.#byFault.get(faultId) ?? [];
    this.#byFault.set(faultId, [...calls, call]);
    return call;
  }

  /** The idempotency keys of the calls that a fault holds, in the order of their arrival. */
  keysOf(faultId: string): readonly (string | null)[] {
    return (this.#byFault.get(faultId) ?? []).map(({ key }) => key);
  }

  /**
   * Releases the calls that a fault holds: first the named ones, then the others in the order of arrival.
   * Each commits before the next has its turn. Resolves when all responses can be sent.
   * @throws GatewayError VALIDATION_ERROR if a name matches no held call.
   */
  async release(faultId: string, order: readonly HeldName[] = []): Promise<void> {
    const calls = this.#byFault.get(faultId) ?? [];
    const named = order.map((name) => findCall(calls, name));
    const ordered = [...new Set([...named, ...calls])];
    for (const call of ordered) call.release();
    for (const call of ordered) {
      call.giveTurn();
      await call.end;
    }
    await Promise.allSettled(ordered.map(({ answerable }) => answerable));
  }

  #remove(faultId: string, call: HeldCall, onRelease: () => void): void {
    const calls = this.#byFault.get(faultId);
    if (!calls?.includes(call)) return;
    const left = calls.filter((one) => one !== call);
    if (left.length > 0) this.#byFault.set(faultId, left);
    else this.#byFault.delete(faultId);
    onRelease();
  }
}

function findCall(calls: readonly HeldCall[], name: HeldName): HeldCall {
  const call = typeof name === "number" ? calls[name] : calls.find(({ key }) => key === name);
  if (!call) throw invalidFields([unknownName(name, calls.length)]);
  return call;
}

function unknownName(name: HeldName, count: number): FieldError {
  const text = JSON.stringify(name);
  return {
    field: "order",
    code: "INVALID_VALUE",
    message: say`order contains ${text}, which matches none of the ${count} held calls. Give each call's position in the order of arrival, from 0 on, or its x-idempotency-key.`,
  };
}
