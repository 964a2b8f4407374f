import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { Deleted } from "#server/core/shared/deleted-items/find-deleted.ts";

export const NOT_FOUND = "Not found. It was restored or deleted permanently";
export const DeletedPath = z.object({ id: z.uuid() });
/** What `restore` takes. */
export const DeletedId = z.uuid();

const DAY_MS = 86_400_000;

export const DeletedRow = z.object({
  id: DeletedId,
  kind: z.enum(["mailbox", "alias", "group", "domain", "inbound"]),
  /** The address, or the domain's name. */
  name: z.string(),
  /** The name of a mailbox or group, the mailbox of an alias; empty for none. */
  title: z.string(),
  /** 0 except for mailboxes, like `messages`. */
  storage_bytes: z.int(),
  messages: z.int(),
  deleted_by: z.string(),
  deleted_at: z.string(),
  /** From then on it can't be restored. */
  final_at: z.string(),
});

export function deletedRow(item: Deleted, keptDays: number): z.input<typeof DeletedRow> {
  const { id, kind, name, title, messages, storageBytes, deletedBy, createdAt } = item;
  return {
    ...{ id, kind, name, title, messages },
    storage_bytes: storageBytes,
    deleted_by: deletedBy,
    deleted_at: consoleTimestamp(createdAt),
    final_at: new Date(Date.parse(createdAt) + keptDays * DAY_MS).toISOString(),
  };
}
