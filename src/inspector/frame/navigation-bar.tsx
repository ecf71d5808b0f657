import { Scope, Settings } from "./settings.tsx";
import { Floating } from "../parts/floating.tsx";
import { ICONS, Icon } from "../parts/icon.tsx";
import { t } from "../state/language.ts";
import { place } from "../state/navigation.ts";
import { type Pane, PANES, toFragment } from "../state/place.ts";
import { countOf } from "../state/review.ts";
import { review } from "../state/sandbox.ts";
import { isCompact } from "../state/viewport.ts";
import { type Message, say } from "../../text/message.ts";

const TITLES: Readonly<Record<Pane, Message>> = {
  activity: say`Activity`,
  payins: say`Payins`,
  payouts: say`Payouts`,
  webhooks: say`Webhooks`,
  requests: say`Requests`,
  review: say`Review`,
  faults: say`Faults`,
  assumptions: say`Assumptions`,
  snapshots: say`Snapshots`,
};
/** The panes that have no place in the header itself. */
const SELDOM: ReadonlySet<Pane> = new Set(["faults", "assumptions", "snapshots"]);

export function paneTitle(pane: Pane): string {
  return t(TITLES[pane]);
}

/** The panes that are used most. */
export function Navigation() {
  return (
    <nav aria-label={t(say`Panes`)}>
      {PANES.filter((pane) => !SELDOM.has(pane)).map((pane) => (
        <PaneLink key={pane} pane={pane} />
      ))}
    </nav>
  );
}

/** The other panes and the settings; where the header has little room, all panes. */
export function More() {
  const shown = place.value.pane;
  const isAll = isCompact.value;
  const isHere = isAll || SELDOM.has(shown);
  return (
    <Floating
      title={isAll ? t(say`Panes and settings`) : t(say`More`)}
      class={isHere ? "bare panes-button" : "bare more"}
      testId="more"
      button={
        <>
          <span class="cut">{isHere ? paneTitle(shown) : t(say`More`)}</span>
          {isAll && <Failures />}
          <Icon path={ICONS.down} />
        </>
      }
    >
      {(close) => (
        <div class="menu">
          <nav class="menu" aria-label={t(say`More panes`)} onClick={close}>
            {PANES.filter((pane) => isAll || SELDOM.has(pane)).map((pane) => (
              <PaneLink key={pane} pane={pane} />
            ))}
          </nav>
          <hr />
          {isAll && <Scope />}
          <Settings close={close} />
        </div>
      )}
    </Floating>
  );
}

function PaneLink({ pane }: { readonly pane: Pane }) {
  return (
    <a href={toFragment({ pane })} aria-current={place.value.pane === pane ? "page" : undefined}>
      {paneTitle(pane)}
      {pane === "review" && <Failures />}
    </a>
  );
}

/** How many rules the integration breaks; nothing if it breaks none. */
function Failures() {
  const count = countOf(review.value, "fail");
  if (count === 0) return null;
  return (
    <span class="badge" data-testid="failures">
      {count}
      <span class="unseen"> {count === 1 ? t(say`failure`) : t(say`failures`)}</span>
    </span>
  );
}
