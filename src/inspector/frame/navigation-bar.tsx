import { useEffect, useRef } from "preact/hooks";
import { t } from "../state/language.ts";
import { place } from "../state/navigation.ts";
import { type Pane, PANES, toFragment } from "../state/place.ts";
import { countOf } from "../state/review.ts";
import { review } from "../state/sandbox.ts";
import { type Message, say } from "../../text/message.ts";

const TITLES: Readonly<Record<Pane, Message>> = {
  activity: say`Activity`,
  review: say`Review`,
  payins: say`Payins`,
  payouts: say`Payouts`,
  webhooks: say`Webhooks`,
  requests: say`Requests`,
  faults: say`Faults`,
  assumptions: say`Assumptions`,
  snapshots: say`Snapshots`,
};

export function paneTitle(pane: Pane): string {
  return t(TITLES[pane]);
}

export function Navigation() {
  const bar = useRef<HTMLElement>(null);
  const { pane: shown } = place.value;
  // A phone has no room for all of them.
  useEffect(() => {
    const link = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (bar.current && link)
      bar.current.scrollLeft = link.offsetLeft - (bar.current.clientWidth - link.offsetWidth) / 2;
  }, [shown]);
  return (
    <nav ref={bar} aria-label={t(say`Panes`)}>
      <ul>
        {PANES.map((pane) => (
          <li key={pane}>
            <a href={toFragment({ pane })} aria-current={shown === pane ? "page" : undefined}>
              {paneTitle(pane)}
              {pane === "review" && <Failures />}
            </a>
          </li>
        ))}
      </ul>
    </nav>
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
