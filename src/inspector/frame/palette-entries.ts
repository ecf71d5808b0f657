import { speak } from "./settings.tsx";
import { paneTitle } from "./navigation-bar.tsx";
import { clearFaults } from "../parts/fault-switch.tsx";
import { matches } from "../parts/filter.tsx";
import { moneyText, shortId } from "../parts/text.tsx";
import { statusWord } from "../parts/status.tsx";
import { timeOfDay } from "../parts/zone.ts";
import { payinActions } from "../details/payin.tsx";
import { payoutActions } from "../details/payout.tsx";
import { resendAction } from "../details/webhook.tsx";
import { type Action, run } from "../state/actions.ts";
import { clockActions } from "../state/clock-actions.ts";
import { sendSamplePayment } from "../state/creation.ts";
import { addPreset, presets } from "../state/fault-presets.ts";
import { isHelpOpen } from "../state/keys.ts";
import { language, t } from "../state/language.ts";
import { isPaused, pause, resume } from "../state/live.ts";
import { go, place } from "../state/navigation.ts";
import { NEW, PANES, type Place } from "../state/place.ts";
import { deliveries, faults, nextDue, payins, payouts, requests } from "../state/sandbox.ts";
import type { Rows } from "../state/rows.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { LANGUAGE_NAMES, LANGUAGES } from "../../text/languages.ts";
import { say } from "../../text/message.ts";

/** Something that the palette can do. */
export interface PaletteEntry {
  readonly name: string;
  readonly kind: string;
  readonly act: () => void;
}

/** All actions that are possible now, and the panes. */
export function paletteEntries(): readonly PaletteEntry[] {
  const kind = t(say`Action`);
  const toEntry = (action: Action): PaletteEntry => ({
    name: action.label,
    kind,
    act: () => void run(action),
  });
  const other = (name: string, act: () => void): PaletteEntry => ({ name, kind, act });
  const clockKind = t(say`Clock`);
  return [
    ...recordActions(place.value).map(toEntry),
    other(t(say`New payin`), () => go({ pane: "payins", id: NEW })),
    other(t(say`New payout`), () => go({ pane: "payouts", id: NEW })),
    other(t(say`Send a sample payment`), () => void sendSamplePayment()),
    ...PANES.map((pane) => ({
      name: paneTitle(pane),
      kind: t(say`Pane`),
      act: () => go({ pane }),
    })),
    ...clockActions(nextDue.value)
      .filter(({ isIdle }) => !isIdle)
      .map((action) => ({ ...toEntry(action), kind: clockKind })),
    ...presets().map((preset) => ({
      name: t(preset.name),
      kind: t(say`Simulated fault`),
      act: () => void addPreset(preset),
    })),
    ...(faults.value.length > 0 ? [toEntry(clearFaults(faults.value.length))] : []),
    isPaused.value ? other(t(say`Resume the page`), resume) : other(t(say`Pause the page`), pause),
    other(t(say`Shortcuts`), () => (isHelpOpen.value = true)),
    ...LANGUAGE_NAMES.filter((one) => one !== language.value).map((one) =>
      other(LANGUAGES[one].ownName, () => speak(one)),
    ),
  ];
}

/** What can be done with the open record. */
function recordActions({ id = "" }: Place): readonly Action[] {
  const [payin, payout, delivery] = [payins.get(id), payouts.get(id), deliveries.get(id)];
  if (payin) return payinActions(payin);
  if (payout) return payoutActions(payout);
  return delivery ? [resendAction(delivery)] : [];
}

const clockTime = (at: string): string => timeOfDay(Date.parse(at));

/** How many records of a kind are found. */
const MAX_FOUND = 6;

/** The newest records whose texts contain a search. */
export function foundRecords(q: string): readonly PaletteEntry[] {
  if (q.trim().length < 2) return [];
  const wanted = q.trim();
  const find = <Row extends { readonly id: string }>(
    pane: "payins" | "payouts" | "webhooks" | "requests",
    rows: Rows<Row>,
    nameOf: (row: Row) => string,
  ): PaletteEntry[] => {
    const found: PaletteEntry[] = [];
    for (const row of rows) {
      if (!matches(wanted, row)) continue;
      const act = (): void => go({ pane, id: row.id });
      found.push({ name: toSafeLine(nameOf(row)), kind: paneTitle(pane), act });
      if (found.length === MAX_FOUND) break;
    }
    return found;
  };
  return [
    ...find(
      "payins",
      payins,
      (one) =>
        `${moneyText(one.value)} · ${one.buyer_name} · ${statusWord("payin", one.status)} · ${shortId(one.id)}`,
    ),
    ...find(
      "payouts",
      payouts,
      (one) =>
        `${moneyText(one.value)} · ${one.receiver_name} · ${statusWord("payout", one.status)} · ${shortId(one.id)}`,
    ),
    ...find("webhooks", deliveries, (one) => `${one.type} · ${clockTime(one.created_at)}`),
    ...find(
      "requests",
      requests,
      (one) => `${one.method} ${one.path} · ${one.status} · ${clockTime(one.at)}`,
    ),
  ];
}
