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

import classes from "./mailbox-list.module.css";
import { mailboxUrl, mailboxStatus } from "./mailbox-labels.ts";
import type { MailboxRow } from "./queries.ts";
import { UsageBar } from "./usage-bar.tsx";

const facts = {
  address: { area: "address", header: "Address", kind: "name" },
  name: { area: "name", header: "Name", kind: "text", isMuted: true },
  status: { area: "status", header: "Status", kind: "status" },
  usage: { area: "usage", header: "Storage", kind: "text", isMuted: true, isOptional: true },
  signIn: { area: "signin", header: "Last sign-in", kind: "moment", isOptional: true },
} satisfies Record<string, ListColumn>;

const columns = {
  choose: { area: "choose", header: "Select", kind: "actions" },
  ...facts,
} as const;
const layout = { columns, grid: classes.grid };
const plainLayout = { columns: facts, grid: classes.plain };

/** @param choice the selection; without it, rows can't be selected */
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
            <ListCell column={columns.choose}>
              <Checkbox
                className={classes.box}
                aria-label={`Select ${mailbox.id}`}
                checked={choice.chosen.has(mailbox.id)}
                onChange={(event) => choice.onChoose(mailbox, event.currentTarget.checked)}
              />
            </ListCell>
          )}
          <ListCell column={columns.address}>
            <ListRowLink href={mailboxUrl(mailbox.id)}>{mailbox.id}</ListRowLink>
          </ListCell>
          <ListCell column={columns.name}>{mailbox.name}</ListCell>
          <ListCell column={columns.status}>
            <Status {...mailboxStatus(mailbox)} />
          </ListCell>
          <ListCell column={columns.usage}>
            <UsageBar of={mailbox} isInList />
          </ListCell>
          <ListCell column={columns.signIn}>
            {mailbox.last_sign_in_at === null ? (
              "Never"
            ) : (
              <RelativeTime at={mailbox.last_sign_in_at} />
            )}
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 8;

export function MailboxListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
