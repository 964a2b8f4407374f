import type { ImapFlow } from "imapflow";

import { type ListedMessage, listMessageIds, listMessages } from "./list-messages.ts";

/**
 * Messages of the open folder of the mailbox that no import has recorded: saved just before a process was killed, imported
 * by other means, or received here. An import must not add them again.
 */
export class ExistingMessages {
  readonly #uids = new Map<string, number[]>();

  static async read(target: ImapFlow, recorded: ReadonlySet<number>): Promise<ExistingMessages> {
    const existing = new ExistingMessages();
    const all = (await target.search({ all: true }, { uid: true })) || [];
    const uids = all.filter((uid) => !recorded.has(uid));
    const others = await listMessages(target, uids);
    const ids = await listMessageIds(target, uids);
    for (const message of others) {
      const key = fingerprint(message, ids.get(message.uid));
      existing.#uids.set(key, [...(existing.#uids.get(key) ?? []), message.uid]);
    }
    return existing;
  }

  get isEmpty(): boolean {
    return this.#uids.size === 0;
  }

  /** The UID of the same message here; null if there is none. Each is returned once. */
  take(message: ListedMessage, messageId: string | undefined): number | null {
    return this.#uids.get(fingerprint(message, messageId))?.shift() ?? null;
  }
}

/** The Message-ID and the time of arrival, which an import preserves. Without a Message-ID, the size. */
const fingerprint = (
  { size, internalDate }: Pick<ListedMessage, "size" | "internalDate">,
  messageId: string | undefined,
): string =>
  `${messageId ?? `${size} bytes`} ${internalDate ? Math.floor(internalDate.getTime() / 1_000) : ""}`;
