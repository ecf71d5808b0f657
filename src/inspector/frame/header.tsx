import { Clock } from "./clock.tsx";
import { LiveMark } from "./live-status.tsx";
import { More, Navigation } from "./navigation-bar.tsx";
import { Scope } from "./settings.tsx";
import { FaultSwitch } from "../parts/fault-switch.tsx";
import { ICONS, Icon } from "../parts/icon.tsx";
import { isPaletteOpen } from "../state/keys.ts";
import { t } from "../state/language.ts";
import { trace } from "../state/trace.ts";
import { isCompact } from "../state/viewport.ts";
import { say } from "../../text/message.ts";

/** The row that stays: the panes, what changes the whole page, and the clock. */
export function Header() {
  const find = t(say`Find and do`);
  const key = isApple() ? "⌘K" : "Ctrl K";
  return (
    <header class="top">
      <a class="brand plain-link" href="#/activity">
        <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
          <rect x="4" y="4" width="12" height="12" rx="2" transform="rotate(45 10 10)" />
        </svg>
        <h1>pix-sandbox</h1>
      </a>
      {!isCompact.value && (
        <>
          <Scope />
          <Navigation />
        </>
      )}
      <More />
      <div class="top-end">
        <FaultSwitch />
        {!trace && <LiveMark />}
        <Clock />
        <button
          type="button"
          class="icon"
          aria-label={`${find} ${key}`}
          title={find}
          data-testid="palette-button"
          onClick={() => (isPaletteOpen.value = true)}
        >
          <Icon path={ICONS.search} />
          <kbd class="wide-only">{key}</kbd>
        </button>
      </div>
    </header>
  );
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
