import { useEffect } from "preact/hooks";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import { LiveNotice } from "./live-status.tsx";
import { paneTitle } from "./navigation-bar.tsx";
import { Palette } from "./palette.tsx";
import { PANE_VIEWS } from "./panes.tsx";
import { Overview } from "../details/overview.tsx";
import { Dialogs } from "../parts/dialog.tsx";
import { place } from "../state/navigation.ts";
import { useKeys } from "../state/keys.ts";

/** The whole page: the header, the list of a pane, and beside it the open record. */
export function App() {
  useKeys();
  const { pane, id } = place.value;
  const { List, Detail } = PANE_VIEWS[pane];
  const title = paneTitle(pane);
  useEffect(() => {
    document.title = `${title} · pix-sandbox`;
  }, [title]);
  const layout = Detail ? (id === undefined ? "with-detail" : "with-detail is-open") : undefined;
  return (
    <>
      <Header />
      <main class={layout} aria-label={title}>
        <section class="list-side">
          <List key={pane} />
        </section>
        {Detail && (
          <section class="detail-side" id="detail" tabIndex={-1}>
            {id === undefined ? <Overview /> : <Detail key={id} id={id} />}
          </section>
        )}
      </main>
      <LiveNotice />
      <Help />
      <Palette />
      <Dialogs />
    </>
  );
}
