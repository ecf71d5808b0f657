import { useState } from "preact/hooks";
import { CopyButton } from "../parts/copy.tsx";
import { EquivalentsButton } from "../parts/action.tsx";
import { Field } from "../parts/field.tsx";
import { Outside } from "../parts/text.tsx";
import { isSinkUrl } from "../../wire/sink-path.ts";
import {
  BREAK,
  breakShop,
  isBreaking,
  losses,
  scorecard,
  shownCheck,
  toBody,
  toCommand,
} from "../state/break-shop.ts";
import { usualWebhookUrl } from "../state/creation.ts";
import { t } from "../state/language.ts";
import { say } from "../../text/message.ts";

/** One button that sends the shop what it has not met yet; the verdicts below it are the scorecard. */
export function BreakShop() {
  const usual = usualWebhookUrl();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [effect, setEffect] = useState("");
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  // The sandbox's own receiver is no shop.
  const url = typed ?? (isSinkUrl(usual) ? "" : usual);
  const check = shownCheck.value;
  const label = isBreaking.value ? t(say`Breaking…`) : t(BREAK);
  return (
    <section class="add" aria-labelledby="break" data-testid="break">
      <h3 id="break">{t(BREAK)}</h3>
      <p class="hint">
        {t(
          say`Sends valid and forged webhooks to your shop, for at most 24 s, and then loses the response to its next charge and payout. Only for a shop that is not in production.`,
        )}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isBreaking.value) return;
          setRefusal(undefined);
          breakShop(url, effect).catch((error: unknown) => setRefusal((error as Error).message));
        }}
      >
        <div class="fields">
          <Field label={t(say`Webhook URL`)} isWide>
            {(attributes) => (
              <input
                {...attributes}
                class="address"
                value={url}
                placeholder="http://localhost:3000/webhooks"
                onInput={({ currentTarget }) => setTyped(currentTarget.value)}
                data-testid="break-url"
              />
            )}
          </Field>
          <Field
            label={t(say`Address that shows an order (optional)`)}
            hint={t(
              say`With {id} or {description} of the charge. The check then pays the open orders of your shop by webhooks, completes one open payout and cancels another, for at most 144 s, and looks at what becomes of them. Create 3 orders first; about 40 of one value are enough for all rules.`,
            )}
            isWide
          >
            {(attributes) => (
              <input
                {...attributes}
                class="address"
                value={effect}
                placeholder="http://localhost:3000/orders/{id}"
                onInput={({ currentTarget }) => setEffect(currentTarget.value.trim())}
                data-testid="break-effect"
              />
            )}
          </Field>
        </div>
        {refusal !== undefined && (
          <p class="refusal" role="alert" data-testid="break-refusal">
            <Outside text={refusal} />
          </p>
        )}
        <div class="buttons">
          <button class="main" aria-disabled={isBreaking.value} data-testid="break-button">
            {label}
          </button>
          <EquivalentsButton
            actions={[
              {
                label: t(BREAK),
                method: "POST",
                path: "/check-webhook",
                body: toBody(url, effect),
                command: toCommand(url, effect),
              },
            ]}
          />
        </div>
      </form>
      <div role="status">
        {check?.notes.map((note) => (
          <p key={note}>
            <Outside text={note} />
          </p>
        ))}
        {check && losses.value.length > 0 && (
          <p data-testid="armed">
            {t(
              say`Now create an order and a refund in your shop: the first response to each is lost. The verdicts follow.`,
            )}
          </p>
        )}
        {check && (
          <CopyButton
            text={scorecard(url, effect)}
            label={t(say`Copy as Markdown for a pull request`)}
            caption={t(say`Copy as Markdown`)}
          />
        )}
      </div>
    </section>
  );
}
