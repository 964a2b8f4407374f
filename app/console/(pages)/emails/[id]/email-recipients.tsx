import { pluralize, typographic } from "#app/console/ui/format.ts";
import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { EmailStatus } from "#app/console/(pages)/emails/email-status.tsx";
import type { EmailRecipient } from "#app/console/(pages)/emails/queries.ts";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "#app/console/(pages)/emails/emails.module.css";

/** The delivery status of each recipient, with the reason and what to do about it. */
export function EmailRecipients({ recipients }: { recipients: EmailRecipient[] }) {
  const title = recipients.length === 1 ? "Recipient" : pluralize(recipients.length, "recipient");
  return (
    <Panel title={title}>
      <ul>
        {recipients.map((recipient) => (
          <li key={recipient.address} className={classes.recipient}>
            <EmailRecipientItem recipient={recipient} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function EmailRecipientItem({ recipient }: { recipient: EmailRecipient }) {
  const { address, field, status, explanation, reply } = recipient;
  return (
    <>
      <div className={classes.head}>
        <span className={classes.address}>
          {address}
          {field !== "to" && <span className={classes.field}>{FIELDS[field]}</span>}
        </span>
        <EmailStatus state={status} />
      </div>
      {explanation && (
        <div className={classes.emailRecipientsWords}>
          {typographic(`${explanation.why} ${explanation.advice ?? ""}`)}
        </div>
      )}
      <NextAttempt recipient={recipient} />
      <SuppressionNotice recipient={recipient} />
      {reply && <ServerReply {...reply} />}
    </>
  );
}

const FIELDS = { cc: "Cc", bcc: "Bcc" };

/** When the next attempt is, and when Posthouse gives up. */
function NextAttempt({ recipient }: { recipient: EmailRecipient }) {
  const { nextAttemptAt: next, givenUpAt: end, failures, isBeingTried: isNow } = recipient;
  if (next === null || end === null) return null;
  const isDeferred = recipient.status === "delivery_delayed";
  if (failures === 0 && !isDeferred)
    return <Text c="dimmed">{isNow ? "Delivering now." : "Queued for delivery."}</Text>;
  const attempts = `${pluralize(failures, "attempt")} so far.`;
  return (
    <Text c="dimmed">
      {failures > 0 && attempts}{" "}
      {isNow ? (
        "Retrying now."
      ) : (
        <>
          Next attempt <RelativeTime at={next} />.
        </>
      )}{" "}
      Posthouse gives up on <ExactTime at={end} />.
    </Text>
  );
}

const ORIGINS = {
  bounce: "an earlier email bounced",
  complaint: "the recipient marked an email as spam",
  manual: "it was added manually",
  unsubscribe: "its owner unsubscribed",
};

function SuppressionNotice({ recipient: { address, suppression } }: { recipient: EmailRecipient }) {
  if (!suppression) return null;
  const list = (
    <Anchor
      component={Link}
      underline="always"
      href={`/console/suppressions?search=${encodeURIComponent(address)}`}
    >
      suppression list
    </Anchor>
  );
  return (
    <div className={classes.emailRecipientsWords}>
      {suppression.isOfThisEmail ? (
        <>The address is now on your {list} and won’t receive further emails.</>
      ) : (
        <>
          The address is on your {list} because {ORIGINS[suppression.origin]}.
        </>
      )}
    </div>
  );
}

function ServerReply({ dsn, message }: NonNullable<EmailRecipient["reply"]>) {
  return (
    <details className={classes.reply}>
      <summary>Server response</summary>
      <code className={classes.quote}>
        {message || "No message"}
        {dsn && !message?.includes(dsn) && ` (${dsn})`}
      </code>
    </details>
  );
}
