import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { EmailStatus } from "#app/console/(pages)/emails/email-status.tsx";
import type { EmailRecipient } from "#app/console/(pages)/emails/queries.ts";
import { ExactMoment, RelativeMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./recipients.module.css";

/** What became of each recipient, why, and what to do about it. */
export function Recipients({ recipients }: { recipients: EmailRecipient[] }) {
  const title = recipients.length === 1 ? "Recipient" : `${recipients.length} recipients`;
  return (
    <Panel title={title}>
      <ul className={classes.recipients}>
        {recipients.map((recipient) => (
          <li key={recipient.address} className={classes.recipient}>
            <Recipient recipient={recipient} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Recipient({ recipient }: { recipient: EmailRecipient }) {
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
        <div className={classes.words}>
          {explanation.why} {explanation.advice}
        </div>
      )}
      <Waiting recipient={recipient} />
      <Suppressed recipient={recipient} />
      {reply && <Reply {...reply} />}
    </>
  );
}

const FIELDS = { cc: "Cc", bcc: "Bcc" };

/** When it is tried next, and until when. */
function Waiting({ recipient }: { recipient: EmailRecipient }) {
  const { next_attempt_at: next, given_up_at: end, failures, is_being_tried: isNow } = recipient;
  if (next === null || end === null) return null;
  if (failures === 0)
    return (
      <Text c="dimmed">{isNow ? "It is being delivered now." : "It waits to be delivered."}</Text>
    );
  const tries = failures === 1 ? "1 attempt" : `${failures} attempts`;
  return (
    <Text c="dimmed">
      {tries} so far.{" "}
      {isNow ? (
        "It is being tried now."
      ) : (
        <>
          Next attempt <RelativeMoment at={next} />.
        </>
      )}{" "}
      Given up on <ExactMoment at={end} />.
    </Text>
  );
}

const ORIGINS = {
  bounce: "an email to it bounced",
  complaint: "its owner reported an email as spam",
  manual: "somebody put it there",
};

function Suppressed({ recipient: { address, suppression } }: { recipient: EmailRecipient }) {
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
    <div className={classes.words}>
      {suppression.is_of_this_email ? (
        <>It is on your {list} since then: nothing more is sent to it.</>
      ) : (
        <>
          It is on your {list}, since {ORIGINS[suppression.origin]}.
        </>
      )}
    </div>
  );
}

function Reply({ dsn, message }: NonNullable<EmailRecipient["reply"]>) {
  return (
    <details className={classes.reply}>
      <summary>What the server said</summary>
      <code className={classes.quote}>
        {message || "Nothing"}
        {dsn && !message?.includes(dsn) && ` (${dsn})`}
      </code>
    </details>
  );
}
