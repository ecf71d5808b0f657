/** A merchant's credentials, for the assumption `credentials`=`listed`. */
export interface Credential {
  /** `x-api-token`: the integration. */
  readonly apiKey: string;
  /** Signs the integration's webhooks: a `whsec_…` secret as it is, or the UTF-8 bytes of any other text. */
  readonly apiSecret: string;
  /** `x-provider-id`. */
  readonly merchantId: string;
}

/** By `apiKey`. */
export type Credentials = ReadonlyMap<string, Credential>;
