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
  reply: { area: "reply", head: "What they last said", kind: "text" },
  next: { area: "next", head: "Next attempt", kind: "moment" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.recipients };

export function QueuedRecipientList({ recipients }: { recipients: QueuedRecipient[] }) {
  return (
    <ListTable label="Recipients that wait, the next first" {...layout}>
      {recipients.map((one) => (
        <ListRow key={one.id}>
          <Cell of={columns.name}>
            <span title={`From ${one.sender || "nobody"}, queued ${one.queued_at}`}>
              {one.recipient}
            </span>
          </Cell>
          <Cell of={columns.company}>{one.company.name}</Cell>
          <Cell of={columns.reply}>
            {one.last_reply ? (
              <>
                {explainTemporaryReply(one.last_reply.dsn)}
                <code className={classes.quote} title={one.last_reply.text}>
                  {one.last_reply.text}
                </code>
              </>
            ) : (
              "Not tried yet"
            )}
          </Cell>
          <Cell of={columns.next}>
            <NextAttempt one={one} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

function NextAttempt({ one }: { one: QueuedRecipient }) {
  if (one.is_parked) return "Held";
  if (one.is_in_flight) return "Under way";
  return one.next_attempt_at && <RelativeMoment at={one.next_attempt_at} />;
}

const SKELETON_ROWS = 8;

export function QueuedRecipientListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
