/** Values that the OpenAPI document's examples share: a sandbox with the seed 42 and a frozen clock made them. */
export const TIME = "2026-11-21T12:00:00.000Z";
export const PAYIN_ID = "75a885f0-a8b7-441b-adab-1b5fd683d012";
export const EVENT_ID = "evt_d54fea834d9782bbcc232f862e1d246c";
export const WEBHOOK_URL = "http://localhost:3000/webhooks/pix";
export const SECRET = "whsec_7B347/YxZB7zrDJTk1pmWQohryHdtbcO";
export const SEED = "42";

export const pageOfOne = <Row>(row: Row) => ({ data: [row], next: null });
