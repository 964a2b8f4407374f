import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./mail-log.module.css";
import type { IncomingEntry } from "./queries.ts";
import { KINDS } from "./reply-text.ts";

const columns = {
  name: { area: "name", header: "Recipient", kind: "name" },
  kind: { area: "kind", header: "Result", kind: "status" },
  sender: { area: "sender", header: "Sender", kind: "text", isOptional: true },
  reply: { area: "reply", header: "Reply", kind: "text" },
  client: { area: "client", header: "Client", kind: "text", isOptional: true },
  when: { area: "when", header: "Time", kind: "moment" },
} satisfies Record<string, ListColumn>;

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
          <ListCell column={columns.name}>
            <button
              type="button"
              data-row-link
              className={classes.open}
              aria-haspopup="dialog"
              onClick={() => onOpen(entry)}
            >
              {entry.recipient ?? entry.sender ?? "Unknown address"}
            </button>
          </ListCell>
          <ListCell column={columns.kind}>
            <Status {...KINDS[entry.kind]} />
          </ListCell>
          <ListCell column={columns.sender}>
            {entry.sender === "" ? "Empty sender" : entry.sender}
          </ListCell>
          <ListCell column={columns.reply}>
            <span title={entry.reply}>{entry.reply}</span>
          </ListCell>
          <ListCell column={columns.client}>{entry.client_address}</ListCell>
          <ListCell column={columns.when}>
            <RelativeTime at={entry.created_at} />
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 10;

export function IncomingListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
