import type { FunctionComponent } from "preact";
import { ActivityDetail } from "../details/activity.tsx";
import { NewPayin, NewPayout } from "../details/new-record.tsx";
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
import { NEW, type Pane } from "../state/place.ts";

/** The components of a pane: its list, and the record that is open beside it. */
export interface PaneView {
  readonly List: FunctionComponent;
  readonly Detail?: FunctionComponent<{ id: string }>;
}

const withForm =
  (
    Form: FunctionComponent,
    Detail: FunctionComponent<{ id: string }>,
  ): FunctionComponent<{ id: string }> =>
  ({ id }) =>
    id === NEW ? <Form /> : <Detail id={id} />;

export const PANE_VIEWS: Readonly<Record<Pane, PaneView>> = {
  activity: { List: ActivityList, Detail: ActivityDetail },
  payins: { List: PayinList, Detail: withForm(NewPayin, PayinDetail) },
  payouts: { List: PayoutList, Detail: withForm(NewPayout, PayoutDetail) },
  webhooks: { List: WebhookList, Detail: WebhookDetail },
  requests: { List: RequestList, Detail: RequestDetail },
  review: { List: ReviewPane },
  faults: { List: FaultsPane },
  assumptions: { List: AssumptionsPane },
  snapshots: { List: SnapshotsPane },
};
