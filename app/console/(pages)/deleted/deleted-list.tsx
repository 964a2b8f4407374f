import { Button, Menu } from "@mantine/core";

import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";
import { dateFormatter, formatBytes, formatExactTime } from "#app/console/ui/format.ts";
import { RowMenu } from "#app/console/ui/row-menu.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./deleted-list.module.css";
import { type DeletedRow, ROWS_PER_PAGE } from "./queries.ts";

const columns = {
  name: { area: "name", header: "Name", kind: "name" },
  kind: { area: "kind", header: "Type", kind: "text", isMuted: true },
  storage: { area: "storage", header: "Storage", kind: "number", isMuted: true },
  by: { area: "by", header: "Deleted by", kind: "text", isMuted: true },
  deleted: { area: "deleted", header: "Deleted", kind: "moment" },
  final: { area: "final", header: "Restorable until", kind: "moment" },
  actions: { area: "actions", header: "Actions", kind: "actions" },
} satisfies Record<string, ListColumn>;

const formatDate = dateFormatter({ dateStyle: "medium" });

const layout = { columns, grid: classes.grid };

export function DeletedList({
  rows,
  onRestore,
  onDelete,
  isBusy,
}: {
  rows: DeletedRow[];
  onRestore: (row: DeletedRow) => void;
  onDelete: (row: DeletedRow) => void;
  isBusy: boolean;
}) {
  return (
    <ListTable label="Deleted items, newest first" {...layout}>
      {rows.map((row) => (
        <ListRow key={row.id}>
          <ListCell column={columns.name}>
            <span className={classes.name} title={row.name}>
              {row.name}
            </span>
          </ListCell>
          <ListCell column={columns.kind}>{describeKind(row)}</ListCell>
          <ListCell column={columns.storage}>
            {row.kind === "mailbox" && formatBytes(row.storage_bytes)}
          </ListCell>
          <ListCell column={columns.by}>
            <span title={row.deleted_by}>{row.deleted_by}</span>
          </ListCell>
          <ListCell column={columns.deleted}>
            <RelativeTime at={row.deleted_at} />
          </ListCell>
          <ListCell column={columns.final}>
            <span className={classes.label}>Restorable until </span>
            <time dateTime={row.final_at} title={formatExactTime(new Date(row.final_at))}>
              {formatDate(new Date(row.final_at))}
            </time>
          </ListCell>
          <ListCell column={columns.actions}>
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
              <Menu.Item onClick={() => onDelete(row)}>Delete permanently now</Menu.Item>
            </RowMenu>
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const KINDS = { mailbox: "Mailbox", alias: "Alias", group: "Group", domain: "Domain" } as const;

/** "Mailbox · Ann Lee", "Alias of ann@example.com" */
function describeKind({ kind, title }: DeletedRow): string {
  if (title === "") return KINDS[kind];
  return kind === "alias" ? `Alias of ${title}` : `${KINDS[kind]} · ${title}`;
}

export function DeletedListSkeleton() {
  return <ListSkeleton rows={Math.min(ROWS_PER_PAGE, 10)} {...layout} />;
}
