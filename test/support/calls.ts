/** A status and a JSON body. */
export interface Answered<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The members of a record or a delivery that tests read. */
export interface Shown {
  readonly id: string;
  readonly type: string;
  readonly transaction_id: string;
  readonly url: string;
  readonly status: string;
  readonly body: string;
  readonly pix_id: string;
  readonly qr_code: string;
  readonly integration: string;
  readonly attempts: readonly {
    readonly at?: string;
    readonly sandbox_at?: string;
    readonly duration_ms?: number;
    readonly status?: number;
    readonly error?: string;
    readonly response?: string;
    readonly retry_after_seconds?: number;
    readonly headers: Readonly<Record<string, string>>;
  }[];
}

/** The calls of a merchant's program to a gateway, and calls of control routes. */
export interface Calls {
  /** Members that are left out get sample values. */
  createPayin(members: Readonly<Record<string, unknown>>, key?: string): Promise<Answered<Shown>>;
  createPayout(members: Readonly<Record<string, unknown>>, key?: string): Promise<Answered<Shown>>;
  simulate(noun: "payin" | "payout", id: string, status?: string): Promise<Answered>;
  gateway<Body>(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Answered<Body>>;
  /** Calls a control route for all integrations. Throws unless the status is 200. */
  control<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Lists every delivery, the oldest first. */
  deliveries(query?: string): Promise<readonly Shown[]>;
  /** Waits for attempts in flight, then advances the sandbox's time. */
  advance(seconds: number): Promise<void>;
}

/** The bodies of a payin and of a payout, without `webhook_url`. */
export const BUYER = {
  value: 10.5,
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
};
export const RECEIVER = {
  value: 25,
  receiver_cpf: "52998224725",
  receiver_name: "José de Souza",
  receiver_email: "jose@example.com",
  pix_key: "52998224725",
  pix_key_type: "cpf",
};

/** The headers that identify the merchant's program, with the integration's token. */
export function headersOf(token: string): Record<string, string> {
  return {
    "x-api-token": token,
    "x-provider-id": "42",
    "x-provider": "Loja da Maria",
    "x-country-code": "BR",
  };
}

/** Calls a gateway as one integration. */
export function callsTo(url: string, token = "shop"): Calls {
  const call = async <Body>(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<Answered<Body>> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as Body,
    };
  };
  const gateway = <Body>(method: string, path: string, body?: unknown, key?: string) =>
    call<Body>(
      method,
      path,
      {
        ...headersOf(token),
        "x-idempotency-key": key ?? crypto.randomUUID(),
      },
      body,
    );
  const control = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await call<Body>(method, `/_sandbox${path}`, {}, body);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    gateway,
    control,
    createPayin: (members, key) => gateway("POST", "/v1/payins", { ...BUYER, ...members }, key),
    createPayout: (members, key) =>
      gateway("POST", "/v1/payouts", { ...RECEIVER, ...members }, key),
    simulate: (noun, id, status = "completed") =>
      gateway("POST", `/v1/${noun}s/simulations`, { transaction_id: id, status }),
    deliveries: async (query = "") =>
      (await control<{ data: readonly Shown[] }>("GET", `/deliveries?limit=1000${query}`)).data,
    advance: async (seconds) => {
      await control("POST", "/clock/advance", { seconds });
    },
  };
}
