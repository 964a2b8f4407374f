import type { ImapFlow } from "imapflow";

/**
 * Every message of a mailbox's folders: its UID, flags and subject, with the UIDVALIDITY of its folder. Without `\Recent`,
 * which belongs to a session, and without self-checks, which the next start deletes.
 */
export async function mailboxContent(app: ImapFlow): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const { path, flags: attributes } of await app.list()) {
    if (attributes.has("\\Noselect") || attributes.has("\\NonExistent")) continue;
    const { uidValidity, exists } = await app.mailboxOpen(path);
    if (exists === 0) continue;
    const stored = (flags: Set<string> = new Set()) =>
      [...flags].filter((flag) => flag !== "\\Recent").toSorted();
    const messages = await app.fetchAll("1:*", { uid: true, flags: true, envelope: true });
    content[path] = messages
      .filter(({ envelope }) => !envelope?.subject?.startsWith("Self-check"))
      .map(
        ({ uid, flags, envelope }) =>
          `${uidValidity} ${uid} ${stored(flags).join(",")} ${envelope?.subject ?? ""}`,
      );
  }
  return content;
}
