import { useEffect, useState } from "preact/hooks";
import { t } from "../state/language.ts";
import { secretOf, secretSource } from "../state/secrets.ts";
import { checkSignature, type SignatureCheck } from "../state/signature.ts";
import type { WireDelivery } from "../state/wire.ts";
import { Command } from "./action.tsx";
import { Prose } from "./prose.tsx";
import { say } from "../../text/message.ts";

type WireAttempt = WireDelivery["attempts"][number];

/** The statuses with which a shop refuses a signature. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([401, 403]);

/** The result of checking an attempt's signature; undefined until it is known. */
export function useSignatureCheck(
  delivery: Pick<WireDelivery, "id" | "body" | "integration">,
  attempt: WireAttempt,
): { readonly check: SignatureCheck; readonly secret: string } | undefined {
  const [result, setResult] = useState<{ check: SignatureCheck; secret: string }>();
  const { id, body, integration } = delivery;
  const { "webhook-timestamp": timestamp = "", "webhook-signature": signature } =
    attempt.headers as Readonly<Record<string, string>>;
  useEffect(() => {
    let isCurrent = true;
    secretOf(integration)
      .then(async (secret) => ({
        secret,
        check: await checkSignature(secret, { id, timestamp, body, signature }),
      }))
      .then(
        (found) => isCurrent && setResult(found),
        // Without a connection the page says so already.
        () => undefined,
      );
    return () => {
      isCurrent = false;
    };
  }, [id, integration, timestamp, body, signature, ...secretSource()]);
  return result;
}

/** Why a shop can have refused a webhook's signature, with the lines that mend it; nothing for other attempts. */
export function AttemptHelp(props: {
  readonly delivery: Pick<WireDelivery, "id" | "body" | "integration">;
  readonly attempt: WireAttempt;
}) {
  const { delivery, attempt } = props;
  const { status } = attempt as { readonly status?: number };
  return REFUSALS.has(status) ? (
    <Refused delivery={delivery} attempt={attempt} status={status ?? 0} />
  ) : null;
}

function Refused(props: {
  readonly delivery: Pick<WireDelivery, "id" | "body" | "integration">;
  readonly attempt: WireAttempt;
  readonly status: number;
}) {
  const { delivery, attempt, status } = props;
  const found = useSignatureCheck(delivery, attempt);
  if (!found) return null;
  const { check, secret } = found;
  if (check === "wrong" || check === "unsigned")
    return (
      <p class="refusal" data-testid="attempt-help">
        {check === "unsigned"
          ? t(
              say`The webhook was not signed, as an assumption says. Your shop may refuse it: ${status} is right.`,
            )
          : t(
              say`The signature was invalid: a simulated fault or another secret made it. Your shop is right to refuse it.`,
            )}
      </p>
    );
  return (
    <div class="refusal" data-testid="attempt-help">
      <p>
        {t(
          say`Your shop refused the webhook (${status}), but its signature is valid. Usually it is one of these:`,
        )}
      </p>
      <ol class="causes">
        <li>
          {t(say`Your shop has another secret. This one signs:`)}
          <Command text={`PIX_WEBHOOK_SECRET=${secret}`} />
        </li>
        <li>
          <Prose
            text={t(
              say`It verifies a body that was parsed and written again. Verify the bytes as they came, before \`JSON.parse\`:`,
            )}
          />
          <Command
            text={'app.post("/webhooks", express.raw({ type: "application/json" }), handler)'}
          />
        </li>
        <li>
          <Prose
            text={t(
              say`It signs other text, or the key is not decoded. The signed text is \`webhook-id.webhook-timestamp.body\`; the key is the base64 after \`whsec_\`:`,
            )}
          />
          <Command
            text={
              // oxlint-disable-next-line no-template-curly-in-string -- a line of the shop's program
              'createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`${id}.${timestamp}.${body}`).digest("base64")'
            }
          />
        </li>
      </ol>
    </div>
  );
}
