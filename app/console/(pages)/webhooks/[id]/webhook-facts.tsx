import { eventTypeSummary } from "#app/console/(pages)/webhooks/event-types.ts";
import type { WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { eventCount, healthSummary } from "#app/console/(pages)/webhooks/webhook-labels.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/description-list.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/copyable-value.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function WebhookFacts({ webhook }: { webhook: WebhookDetail }) {
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="Endpoint">
          <CopyableValue value={webhook.endpoint} label="endpoint" />
        </DescriptionItem>
        <DescriptionItem label="Events">{eventTypeSummary(webhook.events)}</DescriptionItem>
        <DescriptionItem label="Last 24 hours">{healthSummary(webhook.health)}</DescriptionItem>
        {webhook.waiting > 0 && (
          <DescriptionItem
            label={webhook.status === "enabled" ? "Pending" : "Waiting until enabled"}
          >
            {eventCount(webhook.waiting)}
          </DescriptionItem>
        )}
        <DescriptionItem label="Created">
          <ExactTime at={webhook.created_at} />
        </DescriptionItem>
        <DescriptionItem label="ID">
          <CopyableValue value={webhook.id} label="ID" />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
