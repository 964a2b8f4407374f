"use client";

import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import {
  dateFormatter,
  formatBytes,
  formatExactTime,
  formatMegabytes,
  pluralize,
} from "#app/console/ui/format.ts";
import { Menu } from "#app/console/ui/menu.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { ListPage, type RowOf } from "#app/console/ui/list-page.tsx";
import { CellUnit } from "#app/console/ui/list-table.tsx";
import { CopyItem, RowMenu } from "#app/console/ui/row-menu.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

import { DELETED_KEYS, restoreItem } from "./restore.ts";

const formatDate = dateFormatter({ dateStyle: "medium" });

type DeletedRow = RowOf<"deletedItems.list">;

/** What an owner can restore, or delete permanently. */
export function DeletedItems() {
  const [leaving, setLeaving] = useState<DeletedRow | null>(null);
  const restoration = useAction({
    call: ({ id }: DeletedRow) => restoreItem(id),
    invalidates: DELETED_KEYS,
    success: ({ loweredQuotaMb: quota }, { name, deliversTo }) => {
      const more = [
        deliversTo && `Its mail no longer goes to ${deliversTo}.`,
        quota && `Its storage limit is now ${formatMegabytes(quota)}, your plan’s maximum.`,
      ].filter(Boolean);
      return more.length === 0 ? `${name} restored` : `${name} restored. ${more.join(" ")}`;
    },
  });
  return (
    <ListPage
      list="deletedItems.list"
      title="Deleted"
      description={(page) => page && describeList(page)}
      noun="deleted items"
      label="Deleted items"
      rowsPerPage={50}
      skeletonRows={10}
      empty={({ keptDays: days }) => (
        <EmptyState title="Nothing to restore">
          <Text>
            Deleted mailboxes, groups, aliases, inbound addresses, and domains stay here for{" "}
            {pluralize(days, "day")}. You can restore a mailbox with its mail, or delete it
            permanently so that its address is available again.
          </Text>
        </EmptyState>
      )}
      columns={{
        name: {
          header: "Name",
          kind: "name",
          width: "minmax(0, 5fr)",
          cell: ({ name }) => (
            <Text span inherit fw={500}>
              {name}
            </Text>
          ),
        },
        kind: {
          header: "Type",
          width: "minmax(0, 4fr)",
          isMuted: true,
          cell(row) {
            const text = describeKind(row);
            return <span title={text}>{text}</span>;
          },
        },
        storage: {
          header: "Storage",
          kind: "number",
          width: "72px",
          isMuted: true,
          isOptional: true,
          cell: ({ kind, storageBytes: bytes }) => kind === "mailbox" && formatBytes(bytes),
        },
        by: {
          header: "Deleted by",
          width: "minmax(0, 3fr)",
          isMuted: true,
          isOptional: true,
          cell: ({ deletedBy: admin }) => <span title={admin}>{admin}</span>,
        },
        deleted: {
          header: "Deleted",
          kind: "moment",
          width: "108px",
          sort: "-created",
          cell: ({ deletedAt: at }) => <RelativeTime at={at} />,
        },
        final: {
          header: "Restorable until",
          kind: "moment",
          width: "116px",
          cell: ({ finalAt: at }) => (
            <>
              <CellUnit>Restorable until&nbsp;</CellUnit>
              <time dateTime={at} title={formatExactTime(new Date(at))}>
                {formatDate(new Date(at))}
              </time>
            </>
          ),
        },
        actions: {
          header: "Actions",
          kind: "actions",
          width: "116px",
          cell: (row) => (
            <Group gap="xs" wrap="nowrap">
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`Restore ${row.name}`}
                aria-busy={restoration.isPending}
                onClick={() => restoration.start(row)}
              >
                Restore
              </Button>
              <RowMenu label={row.name}>
                <CopyItem value={row.name}>Copy name</CopyItem>
                <Menu.Item c="var(--mantine-color-error)" onClick={() => setLeaving(row)}>
                  Delete permanently now
                </Menu.Item>
              </RowMenu>
            </Group>
          ),
        },
      }}
      phone={`"name name" auto "kind deleted" auto "final actions" auto / minmax(0, 1fr) auto`}
    >
      <DeletePermanently item={leaving} onClose={() => setLeaving(null)} />
    </ListPage>
  );
}

function describeList({
  keptDays: days,
  storageBytes: bytes,
}: AnswerOf<"deletedItems.list">): string {
  const term = `You can restore what was deleted in the last ${pluralize(days, "day")}.`;
  return bytes > 0 ? `${term} Deleted mailboxes use ${formatBytes(bytes)} of storage.` : term;
}

const KINDS = {
  mailbox: "Mailbox",
  alias: "Alias",
  group: "Group",
  domain: "Domain",
  inbound: "Inbound address",
} as const;

/** "Mailbox · Ann Lee", "Mailbox · Ann Lee · mail goes to ben@example.com", "Alias of ann@example.com" */
function describeKind({ kind, title, deliversTo }: DeletedRow): string {
  if (kind === "alias") return `Alias of ${title}`;
  return [KINDS[kind], title, deliversTo && `mail goes to ${deliversTo}`]
    .filter(Boolean)
    .join(" · ");
}

/** The dialog that deletes an item permanently, open while there is one. */
function DeletePermanently({ item, onClose }: { item: DeletedRow | null; onClose: () => void }) {
  const deletion = useAction({
    call: ({ id }: DeletedRow) => change("deletedItems.deletePermanently", { params: { id } }),
    invalidates: DELETED_KEYS,
    success: (_, { name }) => `${name} deleted permanently`,
  });
  // Kept while the dialog closes.
  const [shown, setShown] = useState(item);
  if (item !== null && item !== shown) setShown(item);
  if (shown === null) return null;

  return (
    <ConfirmDialog
      isOpen={item !== null}
      onClose={onClose}
      title={`Delete ${shown.name} permanently?`}
      confirmLabel="Delete permanently"
      {...(shown.messages > 0 && { typeToConfirm: shown.name })}
      onConfirm={() => deletion.run(shown)}
    >
      {describeConsequences(shown)} This can’t be undone.
    </ConfirmDialog>
  );
}

function describeConsequences({
  kind,
  messages,
  storageBytes: bytes,
  deliversTo,
}: DeletedRow): string {
  switch (kind) {
    case "mailbox": {
      const what =
        messages === 0
          ? "The mailbox and its settings are deleted"
          : `The mailbox and ${pluralize(messages, "message")} (${formatBytes(bytes)}) are deleted`;
      return deliversTo === null
        ? `${what}, and its addresses are available again.`
        : `${what}. Its addresses stay with ${deliversTo}.`;
    }
    case "group":
      return "The group’s members and settings are deleted, and its address is available again.";
    case "alias":
    case "inbound":
      return "The address is available again.";
    case "domain":
      return "Its DKIM keys, groups, aliases, and API keys are deleted, and so is everything else on this page that belongs to it. Anyone who owns the domain can create it again.";
  }
}
