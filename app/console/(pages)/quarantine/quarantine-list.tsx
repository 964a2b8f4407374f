import { Checkbox } from "@mantine/core";

import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
  ListRowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { reasons } from "./quarantine-labels.ts";
import classes from "./quarantine-list.module.css";
import { type QuarantineRow, ROWS_PER_PAGE } from "./queries.ts";

const columns = {
  choose: { area: "choose", header: "Select", kind: "actions" },
  from: { area: "from", header: "From", kind: "name" },
  subject: { area: "subject", header: "Subject", kind: "text" },
  to: { area: "to", header: "To", kind: "text", isOptional: true },
  reason: { area: "reason", header: "Reason", kind: "status" },
  quarantined: { area: "quarantined", header: "Quarantined", kind: "moment" },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };

export function QuarantineList({
  messages,
  chosen,
  onChoose,
}: {
  messages: QuarantineRow[];
  chosen: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
}) {
  return (
    <ListTable label="Quarantined messages, newest first" {...layout}>
      {messages.map((message) => (
        <ListRow key={message.id}>
          <ListCell column={columns.choose}>
            <Checkbox
              className={classes.box}
              aria-label={`Select ${message.subject || "message"} from ${nameOf(message)}`}
              checked={chosen.has(message.id)}
              onChange={(event) => onChoose(message.id, event.currentTarget.checked)}
            />
          </ListCell>
          <ListCell column={columns.from}>
            <ListRowLink href={`/console/quarantine/${message.id}`} title={message.sender}>
              {nameOf(message)}
            </ListRowLink>
          </ListCell>
          <ListCell column={columns.subject}>{message.subject || "(no subject)"}</ListCell>
          <ListCell column={columns.to}>
            {message.recipients[0]}
            {message.recipients.length > 1 && ` +${message.recipients.length - 1}`}
          </ListCell>
          <ListCell column={columns.reason}>
            <Status {...reasons[message.reason]} />
          </ListCell>
          <ListCell column={columns.quarantined}>
            <RelativeTime at={message.created_at} />
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const nameOf = ({ from, sender }: QuarantineRow) => from || sender || "(no sender)";

export function QuarantineListSkeleton() {
  return <ListSkeleton rows={ROWS_PER_PAGE} {...layout} />;
}
