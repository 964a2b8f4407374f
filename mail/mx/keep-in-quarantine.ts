import { deriveId } from "#server/core/mail/group-posts/derive-id.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";

import type { Door, Person } from "./door.ts";
import type { Judged } from "./on-message.ts";
import type { Settled } from "./settled.ts";

/**
 * Keeps a message from those it is for until an admin decides: once for the mailboxes of a company, and
 * once for each group. `taken` means committed; a repetition keeps no second one.
 */
export async function keepInQuarantine(
  people: Person[],
  { sender, header, clientAddress, spam, content, fingerprint }: Judged,
  { db }: Pick<Door, "db">,
): Promise<Settled[]> {
  const shares = new Map<string, { companyId: string; recipients: Set<string> }>();
  for (const person of people) {
    // Owners have to do with it where admins look.
    if (person.is === "owners") continue;
    const { companyId } = person;
    const share = person.is === "group" ? person.group : companyId;
    const { recipients } = shares.get(share) ?? { recipients: new Set() };
    recipients.add(person.is === "group" ? person.group : person.mailbox);
    shares.set(share, { companyId, recipients });
  }
  for (const { companyId, recipients } of shares.values())
    await quarantineMessage(db, {
      // The same message may come for others by itself.
      id: deriveId(fingerprint, [...recipients].sort().join(" ")),
      ...{ companyId, recipients: [...recipients], sender, clientAddress, content },
      ...{ score: spam.score, findings: spam.findings, reason: spam.isVirus ? "virus" : "spam" },
      headerFrom: header.headerFrom,
      subject: header.subject,
    });
  return people.map((recipient) => ({ recipient, as: "taken" }));
}
