import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./queue.module.css";
import type { QueuedRecipient } from "./queries.ts";
import { explainTemporaryReply } from "./temporary-replies.ts";

const columns = {
  name: { area: "name", header: "Recipient", kind: "name" },
  company: { area: "company", header: "Company", kind: "text", isOptional: true },
  reply: { area: "reply", header: "Last reply", kind: "text" },
  next: { area: "next", header: "Next attempt", kind: "moment" },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.recipients };

export function QueuedRecipientList({ recipients }: { recipients: QueuedRecipient[] }) {
  return (
    <ListTable label="Queued recipients by next attempt" {...layout}>
      {recipients.map((recipient) => (
        <ListRow key={recipient.id}>
          <ListCell column={columns.name}>
            <span
              title={`From ${recipient.sender || "an empty sender"}, queued ${recipient.queued_at}`}
            >
              {recipient.recipient}
            </span>
          </ListCell>
          <ListCell column={columns.company}>{recipient.company.name}</ListCell>
          <ListCell column={columns.reply}>
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
          </ListCell>
          <ListCell column={columns.next}>
            <NextAttemptTime recipient={recipient} />
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

function NextAttemptTime({ recipient }: { recipient: QueuedRecipient }) {
  if (recipient.is_parked) return "On hold";
  if (recipient.is_in_flight) return "Delivering";
  return recipient.next_attempt_at && <RelativeTime at={recipient.next_attempt_at} />;
}

const SKELETON_ROWS = 8;

export function QueuedRecipientListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
