import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { typographic } from "#app/console/ui/server-text.ts";

import classes from "./mail-log.module.css";
import type { OutgoingEntry } from "./queries.ts";
import { RESULTS } from "./reply-text.ts";

const columns = {
  name: { area: "name", header: "Recipient", kind: "name" },
  result: { area: "kind", header: "Result", kind: "status" },
  sender: { area: "sender", header: "Sender", kind: "text", isOptional: true },
  reply: { area: "reply", header: "Reply", kind: "text" },
  company: { area: "client", header: "Company", kind: "text", isOptional: true },
  when: { area: "when", header: "Time", kind: "moment" },
} satisfies Record<string, ListColumn>;

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
          <ListCell column={columns.name}>
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
          </ListCell>
          <ListCell column={columns.result}>
            <Status {...RESULTS[entry.result]} />
          </ListCell>
          <ListCell column={columns.sender}>
            <span title={entry.sender}>{entry.sender || "Empty sender"}</span>
          </ListCell>
          <ListCell column={columns.reply}>
            <span title={entry.reply ?? ""}>
              {entry.why ? typographic(entry.why) : entry.reply}
            </span>
          </ListCell>
          <ListCell column={columns.company}>{entry.company.name ?? "Deleted company"}</ListCell>
          <ListCell column={columns.when}>
            <RelativeTime at={entry.created_at} />
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 10;

export function OutgoingListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
