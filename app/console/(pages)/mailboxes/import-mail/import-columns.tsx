import { Menu, Text } from "@mantine/core";

import type { DataColumn, ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { importProgress, importStatus } from "./import-labels.ts";
import { isActive, type MailImport } from "./queries.ts";

export type ImportActionName = "repeat" | "cancel" | "erase";

const COLUMNS: DataColumn<MailImport>[] = [
  {
    area: "mailbox",
    header: "Mailbox",
    kind: "name",
    width: "minmax(0, 4fr)",
    cell: ({ id, mailbox }) => (
      <ListRowLink href={`/console/mailboxes/import-mail/${id}`} title={mailbox}>
        {mailbox}
      </ListRowLink>
    ),
  },
  {
    area: "account",
    header: "From",
    kind: "text",
    width: "minmax(0, 4fr)",
    isMuted: true,
    cell: ({ account, host }) => (
      <Text inherit truncate title={`${account} at ${host}`}>
        {account}
      </Text>
    ),
  },
  {
    area: "status",
    header: "Status",
    kind: "status",
    width: "144px",
    cell: (row) => <Status {...importStatus(row)} />,
  },
  {
    area: "progress",
    header: "Progress",
    kind: "text",
    width: "minmax(0, 4fr)",
    cell: importProgress,
  },
];

export const importList = (
  onAct: (name: ImportActionName, row: MailImport) => void,
): ListLayout<MailImport> => ({
  noun: "imports",
  label: "Imports of mail",
  columns: [
    ...COLUMNS,
    menuColumn(
      ({ mailbox }) => mailbox,
      (row) => (
        <>
          {isActive(row) ? (
            <Menu.Item onClick={() => onAct("cancel", row)}>Cancel import</Menu.Item>
          ) : (
            <Menu.Item onClick={() => onAct("repeat", row)}>Import new mail</Menu.Item>
          )}
          {!isActive(row) && row.hasSecret && (
            <Menu.Item onClick={() => onAct("erase", row)}>Erase password</Menu.Item>
          )}
          <CopyItem value={row.mailbox}>Copy address</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"mailbox menu" auto "account account" auto "progress status" auto
    / minmax(0, 1fr) auto`,
});
