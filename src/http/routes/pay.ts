import * as z from "zod";
import { invalidFields } from "../../core/records/errors.ts";
import { readBrCode } from "../../core/records/br-code.ts";
import { toWirePayin } from "../../core/records/payin.ts";
import { PAY_CODE } from "../../core/state/wire-routes.ts";
import { toAnswer } from "../calls/answer.ts";
import { unknownCode } from "../calls/refusals.ts";
import { createReader } from "../parse/readers.ts";
import { readJson } from "../parse/body.ts";
import { readToken } from "../calls/headers.ts";
import { payerPages } from "../pages/pay.ts";
import { defineRoute, fixedBody } from "../definitions/route.ts";
import { createdPayinExample } from "../schemas/created-payin.ts";
import { payin } from "../schemas/payin.ts";
import { type Message, say } from "../../text/message.ts";

const codeBody = z.strictObject({
  code: z.string().trim().min(1).meta({ description: "A BR Code (Pix Copia e Cola)." }),
});

export const pages = payerPages;

export const routes = [
  defineRoute({
    at: PAY_CODE,
    id: "payCode",
    tag: "Records",
    summary: "Pays the waiting payin that a BR Code belongs to.",
    caller: "integration",
    body: fixedBody("PayinCode", codeBody, { code: { code: createdPayinExample.qr_code } }),
    answer: payin,
    refusals: ["unknownCode", "final", "unwritable"],
    handle: async (call, { gateway }) => {
      const reading = readMembers(await readJson(call));
      if ("fields" in reading) throw invalidFields(reading.fields);
      const location = toLocation(reading.draft);
      const token = readToken(call);
      const found = await gateway.read(token, (view) => view.payinAt(location));
      const paid = found && (await gateway.movePayin(token, found.id, "pay"));
      if (!paid) throw unknownCode(gateway.isOwnLocation(location) ? NO_PAYIN : foreign(location));
      return toAnswer(toWirePayin(paid, gateway.assumptionsOf(paid.integration)));
    },
  }),
];

const readMembers = createReader(codeBody, { code: say`code must be text.` }, ({ code }) => code);

/**
 * The location of a charge's code.
 * @throws GatewayError with the field of the BR Code that is wrong, HttpRefusal 404 for a code without a location
 */
function toLocation(text: string): string {
  const { location, defect } = readBrCode(text);
  if (defect) throw invalidFields([{ field: "code", code: "INVALID_VALUE", message: defect.text }]);
  if (location === undefined) throw unknownCode(NO_LOCATION);
  return location;
}

function foreign(location: string): Message {
  return say`The code is not of this sandbox: its location is ${location}. Pay it where it was created.`;
}

const NO_PAYIN = say`No payin has this code. It may belong to another integration or sandbox, or to a payin that a reset deleted.`;
const NO_LOCATION = say`The code has a Pix key or a recurrence, but no location (26-25): it is not a payin's code.`;
