import { DataTable, DataTableSkeleton } from "#app/console/ui/data-table.tsx";

import { MAILBOX_COLUMNS, selectColumn } from "./mailbox-columns.tsx";
import { menuColumn, type OnMailboxAction } from "./mailbox-row-menu.tsx";
import type { MailboxRow } from "./queries.ts";

const PHONE = `"address address" auto "name status" auto / minmax(0, 1fr) auto`;
const PHONE_WITH_TOOLS = `"choose address menu" auto ". name name" auto ". status status" auto
  / 20px minmax(0, 1fr) 28px`;
const SKELETON_ROWS = 8;

/** @param tools the selection and the row menus; without them, rows have neither */
export function MailboxList({
  mailboxes,
  sort,
  hidden,
  tools,
}: {
  mailboxes: MailboxRow[];
  sort: string;
  hidden: ReadonlySet<string>;
  tools?: Parameters<typeof selectColumn>[0] & { onAct: OnMailboxAction };
}) {
  return (
    <DataTable
      label="Mailboxes"
      rows={mailboxes}
      columns={
        tools ? [selectColumn(tools), ...MAILBOX_COLUMNS, menuColumn(tools.onAct)] : MAILBOX_COLUMNS
      }
      phone={tools ? PHONE_WITH_TOOLS : PHONE}
      {...{ sort, hidden }}
    />
  );
}

export function MailboxListSkeleton() {
  return <DataTableSkeleton rows={SKELETON_ROWS} columns={MAILBOX_COLUMNS} phone={PHONE} />;
}
