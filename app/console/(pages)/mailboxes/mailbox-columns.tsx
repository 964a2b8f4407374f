import { Checkbox } from "@mantine/core";

import type { DataColumn } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { mailboxStatus, mailboxUrl } from "./mailbox-labels.ts";
import classes from "./mailbox-list.module.css";
import type { MailboxRow } from "./queries.ts";
import { UsageBar } from "./usage-bar.tsx";

export const MAILBOX_COLUMNS: readonly DataColumn<MailboxRow>[] = [
  {
    ...{ area: "address", header: "Address", kind: "name", width: "minmax(0, 6fr)" },
    sort: "address",
    cell: ({ id }) => <ListRowLink href={mailboxUrl(id)}>{id}</ListRowLink>,
  },
  {
    ...{ area: "name", header: "Name", kind: "text", width: "minmax(0, 4fr)" },
    ...{ isMuted: true, sort: "name", canHide: true },
    cell: ({ name }) => name,
  },
  {
    ...{ area: "status", header: "Status", kind: "status", width: "204px" },
    cell: (mailbox) => <Status {...mailboxStatus(mailbox)} />,
  },
  {
    ...{ area: "unit", header: "Unit", kind: "text", width: "minmax(0, 2fr)" },
    ...{ isMuted: true, isOptional: true, canHide: true },
    cell: ({ org_unit: unit }) => unit.name,
  },
  {
    ...{ area: "usage", header: "Storage", kind: "text", width: "196px" },
    ...{ isMuted: true, isOptional: true, sort: "storage", canHide: true },
    cell: (mailbox) => <UsageBar of={mailbox} isInList />,
  },
  {
    ...{ area: "signin", header: "Last sign-in", kind: "moment", width: "116px" },
    ...{ isOptional: true, sort: "sign_in", canHide: true },
    cell: ({ last_sign_in_at: at }) => (at === null ? "Never" : <RelativeTime at={at} />),
  },
];

/** The checkbox of a row. */
export const selectColumn = (choice: {
  chosen: ReadonlyMap<string, MailboxRow>;
  onChoose: (mailbox: MailboxRow, isChosen: boolean) => void;
}): DataColumn<MailboxRow> => ({
  ...{ area: "choose", header: "Select", kind: "actions", width: "20px" },
  cell: (mailbox) => (
    <Checkbox
      className={classes.box}
      aria-label={`Select ${mailbox.id}`}
      checked={choice.chosen.has(mailbox.id)}
      onChange={(event) => choice.onChoose(mailbox, event.currentTarget.checked)}
    />
  ),
});
