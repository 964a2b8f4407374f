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

import classes from "./mailbox-list.module.css";
import { pageOf, stateOf } from "./mailbox-words.ts";
import type { MailboxRow } from "./queries.ts";
import { UsageBar } from "./usage-bar.tsx";

const facts = {
  address: { area: "address", head: "Address", kind: "name" },
  name: { area: "name", head: "Name", kind: "text", isQuiet: true },
  status: { area: "status", head: "Status", kind: "status" },
  usage: { area: "usage", head: "Storage", kind: "text", isQuiet: true, isExtra: true },
  signIn: { area: "signin", head: "Last sign-in", kind: "moment", isExtra: true },
} satisfies Record<string, Column>;

const columns = { choose: { area: "choose", head: "Choose", kind: "actions" }, ...facts } as const;
const layout = { columns, grid: classes.grid };
const plainLayout = { columns: facts, grid: classes.plain };

/** @param choice which are chosen; nothing can be chosen without it */
export function MailboxList({
  mailboxes,
  choice,
}: {
  mailboxes: MailboxRow[];
  choice?: {
    chosen: ReadonlyMap<string, MailboxRow>;
    onChoose: (mailbox: MailboxRow, isChosen: boolean) => void;
  };
}) {
  return (
    <ListTable label="Mailboxes, by address" {...(choice ? layout : plainLayout)}>
      {mailboxes.map((mailbox) => (
        <ListRow key={mailbox.id}>
          {choice && (
            <Cell of={columns.choose}>
              <Checkbox
                className={classes.box}
                aria-label={`Choose ${mailbox.id}`}
                checked={choice.chosen.has(mailbox.id)}
                onChange={(event) => choice.onChoose(mailbox, event.currentTarget.checked)}
              />
            </Cell>
          )}
          <Cell of={columns.address}>
            <RowLink href={pageOf(mailbox.id)}>{mailbox.id}</RowLink>
          </Cell>
          <Cell of={columns.name}>{mailbox.name}</Cell>
          <Cell of={columns.status}>
            <Status {...stateOf(mailbox)} />
          </Cell>
          <Cell of={columns.usage}>
            <UsageBar of={mailbox} isInList />
          </Cell>
          <Cell of={columns.signIn}>
            {mailbox.last_sign_in_at === null ? (
              "Never"
            ) : (
              <RelativeMoment at={mailbox.last_sign_in_at} />
            )}
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 8;

export function MailboxListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
