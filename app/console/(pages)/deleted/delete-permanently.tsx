"use client";

import { useState } from "react";

import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { formatBytes, pluralize } from "#app/console/ui/format.ts";
import { useAction } from "#app/console/ui/actions.tsx";

import { DELETED_KEYS, deleteItem, type DeletedRow } from "./queries.ts";

/** The dialog that deletes an item permanently, open while there is one. */
export function DeletePermanently({
  item,
  onClose,
}: {
  item: DeletedRow | null;
  onClose: () => void;
}) {
  const deletion = useAction({
    call: ({ id }: DeletedRow) => deleteItem(id),
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

function describeConsequences({ kind, messages, storageBytes: bytes }: DeletedRow): string {
  switch (kind) {
    case "mailbox":
      return messages === 0
        ? "The mailbox and its settings are deleted, and its addresses are available again."
        : `${pluralize(messages, "message")} (${formatBytes(bytes)}) will be deleted, and its addresses become available again.`;
    case "group":
      return "The group’s members and settings are deleted, and its address is available again.";
    case "alias":
    case "inbound":
      return "The address is available again.";
    case "domain":
      return "Its DKIM keys, groups, aliases, and API keys are deleted, and so is everything else on this page that belongs to it. Anyone who owns the domain can create it again.";
  }
}
