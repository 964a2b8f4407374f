import { Anchor, Group, Text } from "@mantine/core";
import Link from "next/link";

import { EmailStatus } from "#app/console/(pages)/emails/email-status.tsx";
import classes from "#app/console/(pages)/emails/emails.module.css";
import type { EmailRecipient } from "#app/console/(pages)/emails/queries.ts";
import { Quote } from "#app/console/ui/details.tsx";
import { pluralize, typographic } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";

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
      <Group justify="space-between" align="baseline" gap="4px 16px" wrap="nowrap">
        <span className={classes.address}>
          {address}
          {field !== "to" && (
            <Text span size="xs" c="dimmed" fw={400} ml="xs" display="inline-block">
              {FIELDS[field]}
            </Text>
          )}
        </span>
        <EmailStatus state={status} />
      </Group>
      {explanation && (
        <Text mt={4}>{typographic(`${explanation.why} ${explanation.advice ?? ""}`)}</Text>
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
    <Text mt={4}>
      {suppression.isOfThisEmail ? (
        <>The address is now on your {list} and won’t receive further emails.</>
      ) : (
        <>
          The address is on your {list} because {ORIGINS[suppression.origin]}.
        </>
      )}
    </Text>
  );
}

function ServerReply({ dsn, message }: NonNullable<EmailRecipient["reply"]>) {
  return (
    <details className={classes.reply}>
      <summary>Server response</summary>
      <Quote>
        {message || "No message"}
        {dsn && !message?.includes(dsn) && ` (${dsn})`}
      </Quote>
    </details>
  );
}
