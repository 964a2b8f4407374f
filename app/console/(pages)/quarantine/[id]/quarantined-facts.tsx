import { formatSize } from "#app/console/(pages)/quarantine/quarantine-labels.ts";
import type { QuarantineDetail } from "#app/console/(pages)/quarantine/queries.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function QuarantinedFacts({ message }: { message: QuarantineDetail }) {
  const { from, sender, recipients, client_address, created_at, size, attachments } = message;
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="From">{from || "None"}</Fact>
        <Fact name="Envelope sender">{sender || "None (automatic message)"}</Fact>
        <Fact name="To">{recipients.join(", ")}</Fact>
        {client_address !== null && (
          <Fact name="Sending server">
            <Mono value={client_address} what="IP address" />
          </Fact>
        )}
        <Fact name="Quarantined">
          <ExactMoment at={created_at} />
        </Fact>
        <Fact name="Size">{formatSize(size)}</Fact>
        {attachments.length > 0 && (
          <Fact name="Attachments">
            {attachments.map(({ name, type, size }, at) => (
              <div key={at}>
                {name || "Unnamed file"} ({type}, {formatSize(size)})
              </div>
            ))}
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}
