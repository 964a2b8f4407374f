import { formatSize } from "#app/console/(pages)/quarantine/quarantine-labels.ts";
import type { QuarantineDetail } from "#app/console/(pages)/quarantine/queries.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/description-list.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/copyable-value.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function QuarantinedFacts({ message }: { message: QuarantineDetail }) {
  const { from, sender, recipients, client_address, created_at, size, attachments } = message;
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="From">{from || "None"}</DescriptionItem>
        <DescriptionItem label="Envelope sender">
          {sender || "None (automatic message)"}
        </DescriptionItem>
        <DescriptionItem label="To">{recipients.join(", ")}</DescriptionItem>
        {client_address !== null && (
          <DescriptionItem label="Sending server">
            <CopyableValue value={client_address} label="IP address" />
          </DescriptionItem>
        )}
        <DescriptionItem label="Quarantined">
          <ExactTime at={created_at} />
        </DescriptionItem>
        <DescriptionItem label="Size">{formatSize(size)}</DescriptionItem>
        {attachments.length > 0 && (
          <DescriptionItem label="Attachments">
            {attachments.map(({ name, type, size }, at) => (
              <div key={at}>
                {name || "Unnamed file"} ({type}, {formatSize(size)})
              </div>
            ))}
          </DescriptionItem>
        )}
      </DescriptionList>
    </Panel>
  );
}
