import { useEffect } from "preact/hooks";
import { ClockBar } from "./clock-bar.tsx";
import { FaultSwitch } from "../parts/fault-switch.tsx";
import { Help } from "./help.tsx";
import { useKeys } from "../state/keys.ts";
import { LiveStatus } from "./live-status.tsx";
import { Navigation, paneTitle } from "./navigation-bar.tsx";
import { PANE_VIEWS } from "./panes.tsx";
import { Dialogs } from "../parts/dialog.tsx";
import { Settings } from "./settings.tsx";
import { place } from "../state/navigation.ts";

/** The whole page: what is always visible, the list of a pane, and beside it the open record. */
export function App() {
  useKeys();
  const { pane, id } = place.value;
  const { List, Detail } = PANE_VIEWS[pane];
  const title = paneTitle(pane);
  useEffect(() => {
    document.title = `${title} · pix-sandbox`;
  }, [title]);
  return (
    <>
      <header class="top">
        <h1>
          <a href="#/activity">pix-sandbox</a>
        </h1>
        <LiveStatus />
        <FaultSwitch />
        <Settings />
      </header>
      <Navigation />
      <ClockBar />
      <main class={id === undefined || !Detail ? "pane" : "pane with-detail"} aria-label={title}>
        <section class="list-side">
          <List key={pane} />
        </section>
        {id !== undefined && Detail && (
          <section class="detail-side" id="detail">
            <Detail key={id} id={id} />
          </section>
        )}
      </main>
      <Help />
      <Dialogs />
    </>
  );
}
