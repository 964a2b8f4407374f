import { eventTypeSummary } from "#app/console/(pages)/webhooks/event-types.ts";
import type { WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { eventCount, healthSummary } from "#app/console/(pages)/webhooks/webhook-labels.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function WebhookFacts({ webhook }: { webhook: WebhookDetail }) {
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Endpoint">
          <Mono value={webhook.endpoint} what="endpoint" />
        </Fact>
        <Fact name="Events">{eventTypeSummary(webhook.events)}</Fact>
        <Fact name="Last 24 hours">{healthSummary(webhook.health)}</Fact>
        {webhook.waiting > 0 && (
          <Fact name={webhook.status === "enabled" ? "Pending" : "Waiting until enabled"}>
            {eventCount(webhook.waiting)}
          </Fact>
        )}
        <Fact name="Created">
          <ExactMoment at={webhook.created_at} />
        </Fact>
        <Fact name="ID">
          <Mono value={webhook.id} what="ID" />
        </Fact>
      </Facts>
    </Panel>
  );
}
