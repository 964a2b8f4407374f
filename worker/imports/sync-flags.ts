import type { ImapFlow } from "imapflow";

import type { ImportedMessage } from "#server/core/mailboxes/imports/import-progress.ts";

import { rangesOf, splitFlags } from "./list-messages.ts";

export type FlagChange = { flag: string; isSet: boolean; targetUids: number[] };

/**
 * What changed at the source since messages were imported. Flags that differ only because the mailbox user changed them
 * in the new mailbox are left alone.
 *
 * @param now flags by UID at the source
 */
export function findFlagChanges(
  imported: ImportedMessage[],
  now: ReadonlyMap<number, string>,
): FlagChange[] {
  const changes = new Map<string, FlagChange>();
  const note = (flag: string, isSet: boolean, targetUid: number) => {
    const key = `${isSet} ${flag}`;
    const change = changes.get(key) ?? { flag, isSet, targetUids: [] };
    changes.set(key, change);
    change.targetUids.push(targetUid);
  };
  for (const { sourceUid, targetUid, flags } of imported) {
    const current = now.get(sourceUid);
    if (current === undefined || current === flags) continue;
    const [before, after] = [new Set(splitFlags(flags)), new Set(splitFlags(current))];
    for (const flag of after.difference(before)) note(flag, true, targetUid);
    for (const flag of before.difference(after)) note(flag, false, targetUid);
  }
  return [...changes.values()];
}

/** Applies changes to the open folder. */
export async function applyFlagChanges(client: ImapFlow, changes: FlagChange[]): Promise<void> {
  for (const { flag, isSet, targetUids } of changes) {
    for (const range of rangesOf(targetUids.toSorted((a, b) => a - b))) {
      const options = { uid: true, silent: true };
      if (isSet) await client.messageFlagsAdd(range, [flag], options);
      else await client.messageFlagsRemove(range, [flag], options);
    }
  }
}
