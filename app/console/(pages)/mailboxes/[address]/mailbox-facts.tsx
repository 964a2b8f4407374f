import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { UsageBar } from "#app/console/(pages)/mailboxes/usage-bar.tsx";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function MailboxFacts({ mailbox }: { mailbox: MailboxDetail }) {
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Name">{mailbox.name}</Fact>
        <Fact name="Address">
          <Mono value={mailbox.id} what="address" />
        </Fact>
        <Fact name="Storage">
          <UsageBar of={mailbox} />
        </Fact>
        <Fact name="Messages">{mailbox.messages.toLocaleString("en")}</Fact>
        <Fact name="Unit">{mailbox.org_unit.name}</Fact>
        <Fact name="Groups">
          {mailbox.groups.length === 0 ? "In none" : mailbox.groups.join(", ")}
        </Fact>
        <Fact name="Last sign-in">
          {mailbox.last_sign_in_at === null ? (
            "No mail app has signed in yet"
          ) : (
            <ExactMoment at={mailbox.last_sign_in_at} />
          )}
        </Fact>
        <Fact name="Created">
          <ExactMoment at={mailbox.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}
