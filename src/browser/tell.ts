import { type HistoryClient, historyOf, readHistory } from "../play/export/happenings.ts";
import { retell } from "../play/export/retell.ts";
import { toScenario } from "../play/export/scenario.ts";
import type { Sandbox } from "../server/activity/sandbox.ts";
import type { TabScenario } from "../wire/tab-messages.ts";
import { startInTab, type StartedInTab } from "./start-in-tab.ts";

/** Writes a scenario of what a sandbox has done since its start; undefined if that is nothing. */
export async function tell({
  sandbox,
  changedIds,
}: StartedInTab): Promise<TabScenario | undefined> {
  const ids = changedIds();
  const history = await readHistory(clientOf(sandbox), (token) => clientOf(sandbox, token));
  const exported = await retell(historyOf(ids, history), async () => {
    const fresh = await startInTab({ options: {} });
    return fresh.sandbox;
  });
  if (exported.steps.length === 0) return undefined;
  return { text: `${toScenario(exported)}\n`, notes: exported.notes };
}

/** The maximum number of rows in a page. */
const MAX_ROWS = 1000;

function clientOf(sandbox: Sandbox, token?: string): HistoryClient {
  const control = async <Wire>(method: string, path: string): Promise<Wire> => {
    const headers = token === undefined ? {} : { "x-api-token": token };
    const response = await sandbox.call(`/_sandbox${path}`, { method, headers });
    return (await response.json()) as Wire;
  };
  return {
    control,
    list: async <Row>(path: string) => {
      const rows: Row[] = [];
      let after: string | null = "";
      while (after !== null) {
        const from: string = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
        const page: { data: Row[]; next: string | null } = await control(
          "GET",
          `${path}?limit=${MAX_ROWS}${from}`,
        );
        rows.push(...page.data);
        after = page.next;
      }
      return rows;
    },
  };
}
