import * as z from "zod";

export const uuid = z.uuidv4();
export const eventId = z.string().regex(/^evt_[0-9a-f]{32}$/);
export const endToEndId = z.string().regex(/^E\d{20}[0-9a-f]{11}$/);
