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
import type { IncomingEntry } from "./queries.ts";
import { KINDS } from "./reply-text.ts";

const columns = {
  name: { area: "name", head: "Recipient", kind: "name" },
  kind: { area: "kind", head: "Result", kind: "status" },
  sender: { area: "sender", head: "Sender", kind: "text", isExtra: true },
  reply: { area: "reply", head: "Reply", kind: "text" },
  client: { area: "client", head: "Client", kind: "text", isExtra: true },
  when: { area: "when", head: "Time", kind: "moment" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function IncomingList({
  entries,
  onOpen,
}: {
  entries: IncomingEntry[];
  onOpen: (entry: IncomingEntry) => void;
}) {
  return (
    <ListTable label="SMTP replies, newest first" {...layout}>
      {entries.map((entry) => (
        <ListRow key={entry.id}>
          <Cell of={columns.name}>
            <button
              type="button"
              data-row-link
              className={classes.open}
              aria-haspopup="dialog"
              onClick={() => onOpen(entry)}
            >
              {entry.recipient ?? entry.sender ?? "Unknown address"}
            </button>
          </Cell>
          <Cell of={columns.kind}>
            <Status {...KINDS[entry.kind]} />
          </Cell>
          <Cell of={columns.sender}>{entry.sender === "" ? "Empty sender" : entry.sender}</Cell>
          <Cell of={columns.reply}>
            <span title={entry.reply}>{entry.reply}</span>
          </Cell>
          <Cell of={columns.client}>{entry.client_address}</Cell>
          <Cell of={columns.when}>
            <RelativeMoment at={entry.created_at} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 10;

export function IncomingListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
