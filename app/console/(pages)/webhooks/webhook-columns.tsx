import { Menu } from "@mantine/core";

import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status, TestBadge } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { eventTypeSummary } from "./event-types.ts";
import type { WebhookRow } from "./queries.ts";
import { EndpointName } from "./endpoint-name.tsx";
import { failureCount, healthSummary, webhookStatus } from "./webhook-labels.ts";

type WebhookActions = Record<"onTest" | "onEnable", (webhook: WebhookRow) => void>;

export const webhookList = ({ onTest, onEnable }: WebhookActions): ListLayout<WebhookRow> => ({
  noun: "webhooks",
  label: "Webhooks",
  standardSort: "-created",
  columns: [
    {
      area: "endpoint",
      header: "Endpoint",
      kind: "name",
      width: "minmax(0, 6fr)",
      sort: "endpoint",
      cell: ({ id, endpoint, isTest }) => (
        <>
          <ListRowLink href={`/console/webhooks/${id}`} title={endpoint}>
            <EndpointName endpoint={endpoint} />
          </ListRowLink>
          {isTest && <TestBadge />}
        </>
      ),
    },
    {
      area: "status",
      header: "Status",
      kind: "status",
      width: "104px",
      cell: (webhook) => <Status {...webhookStatus(webhook)} />,
    },
    {
      area: "events",
      header: "Events",
      kind: "text",
      width: "132px",
      isOptional: true,
      cell: ({ events }) => eventTypeSummary(events),
    },
    {
      area: "health",
      header: "Last 24 hours",
      kind: "text",
      width: "minmax(0, 5fr)",
      cell: ({ failures, health }) =>
        failures > 0 ? failureCount(failures) : healthSummary(health),
    },
    {
      area: "created",
      header: "Created",
      kind: "moment",
      width: "116px",
      isOptional: true,
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    menuColumn(
      ({ endpoint }) => endpoint,
      (webhook) => (
        <>
          {webhook.status === "enabled" ? (
            <Menu.Item onClick={() => onTest(webhook)}>Send test event</Menu.Item>
          ) : (
            <Menu.Item onClick={() => onEnable(webhook)}>Enable webhook</Menu.Item>
          )}
          <LinkItem href={`/console/webhooks/${webhook.id}?tab=settings`}>Change settings</LinkItem>
          <CopyItem value={webhook.endpoint}>Copy endpoint</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"endpoint menu" auto "health status" auto / minmax(0, 1fr) auto`,
});
