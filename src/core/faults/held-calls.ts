import { type FieldError, invalidFields } from "../errors.ts";

/** A call that waits for its release. */
interface HeldCall {
  readonly key: string | null;
  /** Begins its work, which is decided when this returns, and resolves once it is done. */
  readonly begin: () => Promise<unknown>;
}

/** A held call: by a place in the order of arrival, from 0 on, or by its idempotency key. */
export type HeldName = number | string;

/** The calls that wait until somebody releases them, fault by fault, in the order of their arrival. */
export class HeldCalls {
  readonly #byFault = new Map<string, HeldCall[]>();

  /**
   * Keeps a call waiting.
   * @param key its idempotency key; null where it has none
   * @param work decides before it returns
   * @param onEnd is called once, when the call is released or dropped, and before its work
   */
  hold<Result>(
    faultId: string,
    key: string | null,
    work: () => Promise<Result>,
    onEnd: () => void = () => undefined,
  ): { readonly result: Promise<Result>; readonly drop: (reason: Error) => void } {
    let drop = (_reason: Error): void => undefined;
    const result = new Promise<Result>((resolve, reject) => {
      const call: HeldCall = {
        key,
        begin: () => {
          this.#forget(faultId, call, onEnd);
          const done = work();
          resolve(done);
          return done;
        },
      };
      const calls = this.#byFault.get(faultId) ?? [];
      this.#byFault.set(faultId, [...calls, call]);
      drop = (reason) => {
        this.#forget(faultId, call, onEnd);
        reject(reason);
      };
    });
    return { result, drop };
  }

  /** The idempotency keys of the calls that a fault holds, in the order of their arrival. */
  keysOf(faultId: string): readonly (string | null)[] {
    return (this.#byFault.get(faultId) ?? []).map(({ key }) => key);
  }

  /**
   * Lets the calls go that a fault holds, each decided before the next: first those that are named, then
   * the others as they came. Resolves when they are done.
   * @throws GatewayError VALIDATION_ERROR where a name is nobody's.
   */
  async release(faultId: string, order: readonly HeldName[] = []): Promise<void> {
    const calls = this.#byFault.get(faultId) ?? [];
    const named = order.map((name) => findCall(calls, name));
    await Promise.allSettled([...new Set([...named, ...calls])].map(({ begin }) => begin()));
  }

  #forget(faultId: string, call: HeldCall, onEnd: () => void): void {
    const calls = this.#byFault.get(faultId);
    if (!calls?.includes(call)) return;
    const left = calls.filter((one) => one !== call);
    if (left.length > 0) this.#byFault.set(faultId, left);
    else this.#byFault.delete(faultId);
    onEnd();
  }
}

function findCall(calls: readonly HeldCall[], name: HeldName): HeldCall {
  const call = typeof name === "number" ? calls[name] : calls.find(({ key }) => key === name);
  if (!call) throw invalidFields([nobody(name, calls.length)]);
  return call;
}

function nobody(name: HeldName, count: number): FieldError {
  const text = JSON.stringify(name);
  return {
    field: "order",
    code: "INVALID_VALUE",
    message: {
      en: `order names ${text}, which is none of the ${count} calls that are held; name each by its place of arrival, from 0 on, or by its x-idempotency-key.`,
      pt: `order cita ${text}, que não é nenhuma das ${count} chamadas retidas; cite cada uma pela posição de chegada, a partir de 0, ou por sua x-idempotency-key.`,
    },
  };
}
