import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
  ListRowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { eventTypeSummary } from "./event-types.ts";
import type { WebhookRow } from "./queries.ts";
import classes from "./webhook-list.module.css";
import { failureCount, healthSummary, endpointParts, webhookStatus } from "./webhook-labels.ts";

const columns = {
  endpoint: { area: "endpoint", header: "Endpoint", kind: "name" },
  status: { area: "status", header: "Status", kind: "status" },
  events: { area: "events", header: "Events", kind: "text", isOptional: true },
  health: { area: "health", header: "Last 24 hours", kind: "text" },
  created: { area: "created", header: "Created", kind: "moment", isOptional: true },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };

export function WebhookList({ webhooks }: { webhooks: WebhookRow[] }) {
  return (
    <ListTable label="Webhooks, newest first" {...layout}>
      {webhooks.map((webhook) => (
        <WebhookListRow key={webhook.id} webhook={webhook} />
      ))}
    </ListTable>
  );
}

function WebhookListRow({ webhook }: { webhook: WebhookRow }) {
  const { host, rest } = endpointParts(webhook.endpoint);
  const isFailing = webhook.failures > 0;
  return (
    <ListRow>
      <ListCell column={columns.endpoint}>
        <ListRowLink href={`/console/webhooks/${webhook.id}`} title={webhook.endpoint}>
          {host}
          <span className={classes.path}>{rest}</span>
        </ListRowLink>
      </ListCell>
      <ListCell column={columns.status}>
        <Status {...webhookStatus(webhook)} />
      </ListCell>
      <ListCell column={columns.events}>{eventTypeSummary(webhook.events)}</ListCell>
      <ListCell column={columns.health}>
        {isFailing ? failureCount(webhook.failures) : healthSummary(webhook.health)}
      </ListCell>
      <ListCell column={columns.created}>
        <RelativeTime at={webhook.created_at} />
      </ListCell>
    </ListRow>
  );
}

const SKELETON_ROWS = 3;

export function WebhookListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
