import { fileURLToPath } from "node:url";
import { extname } from "node:path";
import { type Program, startProcess } from "../support/process.ts";
import { lacks } from "../support/lacks.ts";

/** A merchant's program that runs. */
export interface RunningShop extends Program {
  readonly url: string;
  /** @param expiration in seconds */
  order(cart: string, value: number, expiration?: number): Promise<ShownPayment>;
  withdraw(invoice: string, value: number, receiverCpf: string): Promise<ShownPayment>;
  /** By the cart or the transaction; undefined if the merchant does not know it. */
  orderOf(id: string): Promise<ShownPayment | undefined>;
  /** By the invoice or the transaction. */
  withdrawalOf(id: string): Promise<ShownPayment | undefined>;
  /** Resolves when it has no call of the gateway under way. */
  quiet(): Promise<void>;
}

/** A payment as the merchant shows it. */
export interface ShownPayment {
  readonly id: string;
  readonly state: string;
  readonly credited: number;
  readonly transaction: string | null;
}

export interface MerchantSettings {
  readonly gateway: string;
  readonly secret: string;
  readonly token: string;
  /** Where it stores its books. Default: in memory. */
  readonly books?: string;
  /** Default: a free one. */
  readonly port?: number;
}

/** What runs a merchant, by the end of its file's name. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  ".js": process.execPath,
  ".py": "python3",
  ".pl": "perl",
};

/** Whether this machine has the interpreter of a merchant's program. */
export function isRunnable(file: string): boolean {
  const end = extname(file);
  return !(end === ".py" && lacks("python3")) && !(end === ".pl" && lacks("perl"));
}

/** Starts a program of `test/merchants`. */
export async function startShop(
  name: string,
  { gateway, secret, token, books, port = 0 }: MerchantSettings,
): Promise<RunningShop> {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const env = {
    PIX_SANDBOX_URL: gateway,
    PIX_SANDBOX_SECRET: secret,
    PIX_SANDBOX_TOKEN: token,
    PORT: String(port),
    PYTHONDONTWRITEBYTECODE: "1",
    ...(books !== undefined && { BOOKS: books }),
  };
  const program = startProcess(INTERPRETERS[extname(name)] ?? "", [file], { env });
  const [line = ""] = await program.lines("stdout", 1);
  const { url } = JSON.parse(line) as { url: string };
  const post = async (path: string, body: unknown): Promise<ShownPayment> => {
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as ShownPayment;
  };
  const get = async (path: string): Promise<ShownPayment | undefined> => {
    const response = await fetch(url + path);
    const shown = (await response.json()) as ShownPayment;
    return response.ok ? shown : undefined;
  };
  return Object.defineProperties(program as RunningShop, {
    url: { value: url },
    order: {
      value: (cart: string, value: number, expiration?: number) =>
        post("/orders", { cart, value, expiration }),
    },
    withdraw: {
      value: (invoice: string, value: number, receiver: string) =>
        post("/withdrawals", { invoice, value, receiver_cpf: receiver }),
    },
    orderOf: { value: (id: string) => get(`/orders/${encodeURIComponent(id)}`) },
    withdrawalOf: { value: (id: string) => get(`/withdrawals/${encodeURIComponent(id)}`) },
    quiet: { value: async () => void (await (await fetch(`${url}/quiet`)).text()) },
  });
}
