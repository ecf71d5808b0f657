import type { FieldError } from "../../core/errors.ts";
import {
  type Effect,
  effectRule,
  type FaultyOperation,
  isOperationEffect,
  readEffect,
} from "../../core/faults/effects.ts";
import { type Call, readHeader } from "../call.ts";

/** Reads `x-sandbox-fault`: the effect that a call requests. Adds an entry to `fields` if it is wrong. */
export function readFaultHeader(
  call: Call,
  operation: FaultyOperation | undefined,
  fields: FieldError[],
): Effect | undefined {
  const sent = readHeader(call, FAULT_HEADER);
  if (sent === null) return undefined;
  const effect = readEffect(sent);
  const isPossible =
    effect && operation && (isOperationEffect(effect) || operation !== SENDS_NO_WEBHOOK);
  if (isPossible) return effect;
  const message =
    operation === undefined
      ? NO_FAULTS
      : effect
        ? NO_WEBHOOK
        : effectRule(FAULT_HEADER, operation === SENDS_NO_WEBHOOK ? operation : undefined);
  fields.push({ field: FAULT_HEADER, code: "INVALID_VALUE", message });
  return undefined;
}

const FAULT_HEADER = "x-sandbox-fault";
/** A payin's webhook is sent by the call that settles it. */
const SENDS_NO_WEBHOOK: FaultyOperation = "payins.create";

const NO_FAULTS = {
  en: "This call takes no x-sandbox-fault; the calls that create and simulate do.",
  pt: "Esta chamada não aceita x-sandbox-fault; as que criam e simulam aceitam.",
};
const NO_WEBHOOK = {
  en: "Creating a payin sends no webhook: send x-sandbox-fault with the simulation, or add a fault on webhook with POST /_sandbox/faults.",
  pt: "Criar uma cobrança não envia webhook: envie x-sandbox-fault com a simulação, ou crie uma falha em webhook com POST /_sandbox/faults.",
};
