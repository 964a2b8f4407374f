import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { eventTypeSummary } from "./event-types.ts";
import type { WebhookRow } from "./queries.ts";
import classes from "./webhook-list.module.css";
import { failureCount, healthSummary, endpointParts, webhookStatus } from "./webhook-labels.ts";

const columns = {
  endpoint: { area: "endpoint", head: "Endpoint", kind: "name" },
  status: { area: "status", head: "Status", kind: "status" },
  events: { area: "events", head: "Events", kind: "text", isExtra: true },
  health: { area: "health", head: "Last 24 hours", kind: "text" },
  created: { area: "created", head: "Created", kind: "moment", isExtra: true },
} satisfies Record<string, Column>;

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
      <Cell of={columns.endpoint}>
        <RowLink href={`/console/webhooks/${webhook.id}`} title={webhook.endpoint}>
          {host}
          <span className={classes.path}>{rest}</span>
        </RowLink>
      </Cell>
      <Cell of={columns.status}>
        <Status {...webhookStatus(webhook)} />
      </Cell>
      <Cell of={columns.events}>{eventTypeSummary(webhook.events)}</Cell>
      <Cell of={columns.health}>
        {isFailing ? failureCount(webhook.failures) : healthSummary(webhook.health)}
      </Cell>
      <Cell of={columns.created}>
        <RelativeMoment at={webhook.created_at} />
      </Cell>
    </ListRow>
  );
}

const SKELETON_ROWS = 3;

export function WebhookListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
