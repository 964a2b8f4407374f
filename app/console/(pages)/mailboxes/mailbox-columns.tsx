import type { DataColumn, ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { selectColumn, type Selection } from "#app/console/ui/selection.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { mailboxStatus, mailboxUrl } from "./mailbox-labels.ts";
import { menuColumn, type OnMailboxAction } from "./mailbox-row-menu.tsx";
import type { MailboxRow } from "./queries.ts";
import { UsageBar } from "./usage-bar.tsx";

const COLUMNS: readonly DataColumn<MailboxRow>[] = [
  {
    area: "address",
    header: "Address",
    kind: "name",
    width: "minmax(0, 6fr)",
    sort: "address",
    cell: ({ id }) => <ListRowLink href={mailboxUrl(id)}>{id}</ListRowLink>,
  },
  {
    area: "name",
    header: "Name",
    kind: "text",
    width: "minmax(0, 4fr)",
    isMuted: true,
    sort: "name",
    canHide: true,
    cell: ({ name }) => name,
  },
  {
    area: "status",
    header: "Status",
    kind: "status",
    width: "204px",
    cell: (mailbox) => <Status {...mailboxStatus(mailbox)} />,
  },
  {
    area: "unit",
    header: "Unit",
    kind: "text",
    width: "minmax(0, 2fr)",
    isMuted: true,
    isOptional: true,
    canHide: true,
    cell: ({ orgUnit: unit }) => unit.name,
  },
  {
    area: "usage",
    header: "Storage",
    kind: "text",
    width: "196px",
    isMuted: true,
    isOptional: true,
    sort: "storage",
    canHide: true,
    cell: (mailbox) => <UsageBar of={mailbox} isInList />,
  },
  {
    area: "signin",
    header: "Last sign-in",
    kind: "moment",
    width: "116px",
    isOptional: true,
    sort: "sign_in",
    canHide: true,
    cell: ({ lastSignInAt: at }) => (at === null ? "Never" : <RelativeTime at={at} />),
  },
];

export const MAILBOX_LIST: ListLayout<MailboxRow> = {
  noun: "mailboxes",
  label: "Mailboxes",
  columns: COLUMNS,
  phone: `"address address" auto "name status" auto / minmax(0, 1fr) auto`,
};

/** The list with the selection and the row menus. */
export const selectableList = (
  selection: Selection<MailboxRow>,
  onAct: OnMailboxAction,
): ListLayout<MailboxRow> => ({
  ...MAILBOX_LIST,
  columns: [selectColumn(selection, ({ id }) => id), ...COLUMNS, menuColumn(onAct)],
  phone: `"choose address menu" auto ". name name" auto ". status status" auto / 20px minmax(0, 1fr) 28px`,
});
