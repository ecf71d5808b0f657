import type { FunctionComponent } from "preact";
import { PayinDetail } from "../details/payin.tsx";
import { PayoutDetail } from "../details/payout.tsx";
import { RequestDetail } from "../details/request.tsx";
import { WebhookDetail } from "../details/webhook.tsx";
import { ActivityList } from "../panes/activity.tsx";
import { AssumptionsPane } from "../panes/assumptions.tsx";
import { FaultsPane } from "../panes/faults.tsx";
import { PayinList } from "../panes/payins.tsx";
import { PayoutList } from "../panes/payouts.tsx";
import { RequestList } from "../panes/requests.tsx";
import { ReviewPane } from "../panes/review.tsx";
import { SnapshotsPane } from "../panes/snapshots.tsx";
import { WebhookList } from "../panes/webhooks.tsx";
import type { Pane } from "../state/place.ts";

/** The components of a pane: its list, and the record that is open beside it. */
export interface PaneView {
  readonly List: FunctionComponent;
  readonly Detail?: FunctionComponent<{ id: string }>;
}

export const PANE_VIEWS: Readonly<Record<Pane, PaneView>> = {
  activity: { List: ActivityList },
  review: { List: ReviewPane },
  payins: { List: PayinList, Detail: PayinDetail },
  payouts: { List: PayoutList, Detail: PayoutDetail },
  webhooks: { List: WebhookList, Detail: WebhookDetail },
  requests: { List: RequestList, Detail: RequestDetail },
  faults: { List: FaultsPane },
  assumptions: { List: AssumptionsPane },
  snapshots: { List: SnapshotsPane },
};
