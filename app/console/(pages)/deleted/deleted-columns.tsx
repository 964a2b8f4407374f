import { Button, Menu } from "@mantine/core";

import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { dateFormatter, formatBytes, formatExactTime } from "#app/console/ui/format.ts";
import { CopyItem, RowMenu } from "#app/console/ui/row-menu.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./deleted-list.module.css";
import type { DeletedRow } from "./queries.ts";

const formatDate = dateFormatter({ dateStyle: "medium" });

type DeletedActions = {
  onRestore: (row: DeletedRow) => void;
  onDelete: (row: DeletedRow) => void;
  /** An item is being restored. */
  isBusy: boolean;
};

export const deletedList = ({
  onRestore,
  onDelete,
  isBusy,
}: DeletedActions): ListLayout<DeletedRow> => ({
  noun: "deleted items",
  label: "Deleted items",
  className: classes.list,
  columns: [
    {
      area: "name",
      header: "Name",
      kind: "name",
      width: "minmax(0, 5fr)",
      cell: ({ name }) => (
        <span className={classes.name} title={name}>
          {name}
        </span>
      ),
    },
    {
      area: "kind",
      header: "Type",
      kind: "text",
      width: "minmax(0, 4fr)",
      isMuted: true,
      cell: describeKind,
    },
    {
      area: "storage",
      header: "Storage",
      kind: "number",
      width: "72px",
      isMuted: true,
      isOptional: true,
      cell: ({ kind, storageBytes: bytes }) => kind === "mailbox" && formatBytes(bytes),
    },
    {
      area: "by",
      header: "Deleted by",
      kind: "text",
      width: "minmax(0, 3fr)",
      isMuted: true,
      isOptional: true,
      cell: ({ deletedBy: admin }) => <span title={admin}>{admin}</span>,
    },
    {
      area: "deleted",
      header: "Deleted",
      kind: "moment",
      width: "108px",
      sort: "-created",
      cell: ({ deletedAt: at }) => <RelativeTime at={at} />,
    },
    {
      area: "final",
      header: "Restorable until",
      kind: "moment",
      width: "116px",
      cell: ({ finalAt: at }) => (
        <>
          <span className={classes.label}>Restorable until </span>
          <time dateTime={at} title={formatExactTime(new Date(at))}>
            {formatDate(new Date(at))}
          </time>
        </>
      ),
    },
    {
      area: "actions",
      header: "Actions",
      kind: "actions",
      width: "116px",
      cell: (row) => (
        <>
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`Restore ${row.name}`}
            aria-busy={isBusy}
            onClick={() => onRestore(row)}
          >
            Restore
          </Button>
          <RowMenu label={row.name}>
            <CopyItem value={row.name}>Copy name</CopyItem>
            <Menu.Item c="var(--mantine-color-error)" onClick={() => onDelete(row)}>
              Delete permanently now
            </Menu.Item>
          </RowMenu>
        </>
      ),
    },
  ],
  phone: `"name name" auto "kind deleted" auto "final actions" auto / minmax(0, 1fr) auto`,
});

const KINDS = {
  mailbox: "Mailbox",
  alias: "Alias",
  group: "Group",
  domain: "Domain",
  inbound: "Inbound address",
} as const;

/** "Mailbox · Ann Lee", "Alias of ann@example.com" */
function describeKind({ kind, title }: DeletedRow): string {
  if (title === "") return KINDS[kind];
  return kind === "alias" ? `Alias of ${title}` : `${KINDS[kind]} · ${title}`;
}
