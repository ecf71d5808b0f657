import { Command } from "../parts/action.tsx";
import { SampleButton } from "../parts/new-button.tsx";
import { Facts } from "../parts/detail.tsx";
import { drawQrCode } from "../parts/qr-code.tsx";
import { Copied } from "../parts/text.tsx";
import { t } from "../state/language.ts";
import { callingIntegration } from "../state/gateway.ts";
import { about, secret } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";
import { ORIGIN } from "../state/origin.ts";

/** What a program needs to use the sandbox, as long as no record is open. */
export function Overview() {
  if (drawQrCode.value) return <InTab />;
  const { urls = [] } = about.value ?? {};
  const copy = t(say`Copy`);
  return (
    <div class="overview" data-testid="overview">
      <h2>{t(say`Connect your program`)}</h2>
      <p class="dim">
        {t(say`Use these instead of the real gateway. What your program does appears in the list.`)}
      </p>
      <Facts
        facts={[
          [t(say`Gateway`), <Copied key="" text={`${ORIGIN}/v1`} label={copy} />, "wide"],
          ["x-api-token", <Copied key="" text={callingIntegration()} label={copy} />, "wide"],
          [
            t(say`Webhook secret`),
            secret.value === undefined ? null : <Copied key="" text={secret.value} label={copy} />,
            "wide",
          ],
          [
            t(say`In the network`),
            urls[0] === undefined ? null : <Copied key="" text={urls[0]} label={copy} />,
            "wide",
          ],
        ]}
      />
      <SampleButton />
    </div>
  );
}

/** A sandbox in a tab has no address. */
function InTab() {
  return (
    <div class="overview" data-testid="overview">
      <h2>{t(say`This sandbox runs in this tab`)}</h2>
      <p>{t(say`Programs cannot call it. This command starts one that they can call:`)}</p>
      <Command text="npx pix-sandbox serve" />
    </div>
  );
}
