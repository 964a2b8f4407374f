import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./email-facts.module.css";

export function EmailFacts({ email }: { email: EmailDetail }) {
  const lists = [
    ["To", email.to],
    ["Cc", email.cc],
    ["Bcc", email.bcc],
    ["Reply to", email.reply_to],
    ["Tags", email.tags.map(({ name, value }) => `${name}: ${value}`)],
    ["Headers", Object.entries(email.content?.headers ?? {}).map((header) => header.join(": "))],
  ] as const;
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="From">{email.from}</Fact>
        {lists
          .filter(([, lines]) => lines.length > 0)
          .map(([name, lines]) => (
            <Fact key={name} name={name}>
              <Lines lines={lines} />
            </Fact>
          ))}
        <Fact name="Accepted">
          <ExactMoment at={email.created_at} />
        </Fact>
        {email.scheduled_at && (
          <Fact name="Scheduled for">
            <ExactMoment at={email.scheduled_at} />
          </Fact>
        )}
        <Fact name="Id">
          <Mono value={email.id} what="id" />
        </Fact>
        <Fact name="Message-ID">
          {email.message_id ? (
            <Mono value={email.message_id} what="Message-ID" />
          ) : (
            "None yet: it has not been handed over for delivery"
          )}
        </Fact>
      </Facts>
    </Panel>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className={classes.lines}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
