import { eventsInWords } from "#app/console/(pages)/webhooks/event-types.ts";
import type { WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { eventCount, healthInWords } from "#app/console/(pages)/webhooks/webhook-words.ts";
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
        <Fact name="Events">{eventsInWords(webhook.events)}</Fact>
        <Fact name="Last 24 hours">{healthInWords(webhook.health)}</Fact>
        {webhook.waiting > 0 && (
          <Fact name={webhook.status === "enabled" ? "Waiting" : "Held back"}>
            {eventCount(webhook.waiting)}
          </Fact>
        )}
        <Fact name="Created">
          <ExactMoment at={webhook.created_at} />
        </Fact>
        <Fact name="Id">
          <Mono value={webhook.id} what="id" />
        </Fact>
      </Facts>
    </Panel>
  );
}
