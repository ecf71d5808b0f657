import { SampleButton } from "../parts/new-button.tsx";
import { Facts } from "../parts/detail.tsx";
import { Copied } from "../parts/text.tsx";
import { toLongTime } from "../parts/zone.ts";
import { t } from "../state/language.ts";
import { callingIntegration } from "../state/gateway.ts";
import { about, secret } from "../state/sandbox.ts";
import { trace } from "../state/trace.ts";
import { say } from "../../text/message.ts";
import type { Trace } from "../../wire/trace.ts";
import { ORIGIN } from "../state/origin.ts";

/** What a program needs to use the sandbox, as long as no record is open. */
export function Overview() {
  if (trace) return <OfTrace trace={trace} />;
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

/** What a reader has to know of a trace. */
function OfTrace({ trace: { program, written_at } }: { readonly trace: Trace }) {
  return (
    <div class="overview" data-testid="overview">
      <h2>{t(say`A trace`)}</h2>
      <p class="dim">
        {t(
          say`This file shows a sandbox as it was when the file was written. Personal data is masked. Nothing here can be changed.`,
        )}
      </p>
      <Facts
        facts={[
          [t(say`Written`), toLongTime(Date.parse(written_at))],
          ["pix-sandbox", program],
        ]}
      />
    </div>
  );
}
