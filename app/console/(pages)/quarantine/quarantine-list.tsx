import { Checkbox } from "@mantine/core";

import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { reasons } from "./quarantine-labels.ts";
import classes from "./quarantine-list.module.css";
import { type QuarantineRow, ROWS_PER_PAGE } from "./queries.ts";

const columns = {
  choose: { area: "choose", head: "Select", kind: "actions" },
  from: { area: "from", head: "From", kind: "name" },
  subject: { area: "subject", head: "Subject", kind: "text" },
  to: { area: "to", head: "To", kind: "text", isExtra: true },
  reason: { area: "reason", head: "Reason", kind: "status" },
  quarantined: { area: "quarantined", head: "Quarantined", kind: "moment" },
} satisfies Record<string, Column>;

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
          <Cell of={columns.choose}>
            <Checkbox
              className={classes.box}
              aria-label={`Select ${message.subject || "message"} from ${nameOf(message)}`}
              checked={chosen.has(message.id)}
              onChange={(event) => onChoose(message.id, event.currentTarget.checked)}
            />
          </Cell>
          <Cell of={columns.from}>
            <RowLink href={`/console/quarantine/${message.id}`} title={message.sender}>
              {nameOf(message)}
            </RowLink>
          </Cell>
          <Cell of={columns.subject}>{message.subject || "(no subject)"}</Cell>
          <Cell of={columns.to}>
            {message.recipients[0]}
            {message.recipients.length > 1 && ` +${message.recipients.length - 1}`}
          </Cell>
          <Cell of={columns.reason}>
            <Status {...reasons[message.reason]} />
          </Cell>
          <Cell of={columns.quarantined}>
            <RelativeMoment at={message.created_at} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const nameOf = ({ from, sender }: QuarantineRow) => from || sender || "(no sender)";

export function QuarantineListSkeleton() {
  return <ListSkeleton rows={ROWS_PER_PAGE} {...layout} />;
}
