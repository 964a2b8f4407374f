import { sizeInWords } from "#app/console/(pages)/quarantine/held-words.ts";
import type { HeldDetail } from "#app/console/(pages)/quarantine/queries.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function HeldFacts({ message }: { message: HeldDetail }) {
  const { from, sender, recipients, client_address, created_at, size, attachments } = message;
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="From">{from || "Nobody"}</Fact>
        <Fact name="Sent by">{sender || "Nobody: an automatic message"}</Fact>
        <Fact name="To">{recipients.join(", ")}</Fact>
        {client_address !== null && (
          <Fact name="Came from">
            <Mono value={client_address} what="address" />
          </Fact>
        )}
        <Fact name="Held since">
          <ExactMoment at={created_at} />
        </Fact>
        <Fact name="Size">{sizeInWords(size)}</Fact>
        {attachments.length > 0 && (
          <Fact name="Files">
            {attachments.map(({ name, type, size }, at) => (
              <div key={at}>
                {name || "Without a name"} ({type}, {sizeInWords(size)})
              </div>
            ))}
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}
