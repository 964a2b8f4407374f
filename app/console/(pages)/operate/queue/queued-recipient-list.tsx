import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";

import classes from "./queue.module.css";
import type { QueuedRecipient } from "./queries.ts";
import { explainTemporaryReply } from "./temporary-replies.ts";

const columns = {
  name: { area: "name", head: "Recipient", kind: "name" },
  company: { area: "company", head: "Company", kind: "text", isExtra: true },
  reply: { area: "reply", head: "Last reply", kind: "text" },
  next: { area: "next", head: "Next attempt", kind: "moment" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.recipients };

export function QueuedRecipientList({ recipients }: { recipients: QueuedRecipient[] }) {
  return (
    <ListTable label="Queued recipients by next attempt" {...layout}>
      {recipients.map((recipient) => (
        <ListRow key={recipient.id}>
          <Cell of={columns.name}>
            <span
              title={`From ${recipient.sender || "an empty sender"}, queued ${recipient.queued_at}`}
            >
              {recipient.recipient}
            </span>
          </Cell>
          <Cell of={columns.company}>{recipient.company.name}</Cell>
          <Cell of={columns.reply}>
            {recipient.last_reply ? (
              <>
                {explainTemporaryReply(recipient.last_reply.dsn)}
                <code className={classes.quote} title={recipient.last_reply.text}>
                  {recipient.last_reply.text}
                </code>
              </>
            ) : (
              "No attempt yet"
            )}
          </Cell>
          <Cell of={columns.next}>
            <NextAttempt recipient={recipient} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

function NextAttempt({ recipient }: { recipient: QueuedRecipient }) {
  if (recipient.is_parked) return "On hold";
  if (recipient.is_in_flight) return "Delivering";
  return recipient.next_attempt_at && <RelativeMoment at={recipient.next_attempt_at} />;
}

const SKELETON_ROWS = 8;

export function QueuedRecipientListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
