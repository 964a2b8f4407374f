import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./mail-log.module.css";
import type { OutgoingEntry } from "./queries.ts";
import { RESULTS } from "./reply-text.ts";

const columns = {
  name: { area: "name", head: "Recipient", kind: "name" },
  result: { area: "kind", head: "Result", kind: "status" },
  sender: { area: "sender", head: "Sender", kind: "text", isExtra: true },
  reply: { area: "reply", head: "Reply", kind: "text" },
  company: { area: "client", head: "Company", kind: "text", isExtra: true },
  when: { area: "when", head: "Time", kind: "moment" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function OutgoingList({
  entries,
  onOpen,
}: {
  entries: OutgoingEntry[];
  onOpen: (entry: OutgoingEntry) => void;
}) {
  return (
    <ListTable label="Delivery attempts, newest first" {...layout}>
      {entries.map((entry) => (
        <ListRow key={entry.id}>
          <Cell of={columns.name}>
            <button
              type="button"
              data-row-link
              className={classes.open}
              aria-haspopup="dialog"
              title={entry.recipient}
              onClick={() => onOpen(entry)}
            >
              {entry.recipient}
            </button>
          </Cell>
          <Cell of={columns.result}>
            <Status {...RESULTS[entry.result]} />
          </Cell>
          <Cell of={columns.sender}>
            <span title={entry.sender}>{entry.sender || "Empty sender"}</span>
          </Cell>
          <Cell of={columns.reply}>
            <span title={entry.reply ?? ""}>{entry.why ?? entry.reply}</span>
          </Cell>
          <Cell of={columns.company}>{entry.company.name ?? "Deleted company"}</Cell>
          <Cell of={columns.when}>
            <RelativeMoment at={entry.created_at} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 10;

export function OutgoingListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
