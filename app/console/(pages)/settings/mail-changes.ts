import type { Change } from "#app/console/ui/form/form.tsx";
import { formatCount, pluralize } from "#app/console/ui/format.ts";

import type { CompanySettings } from "./queries.ts";

type MailValues = Pick<CompanySettings, "greylisting" | "outgoingScan">;
type Stored = MailValues & Pick<CompanySettings, "mailboxes">;

/** What saving the settings for the company's mail would do. */
export function mailChanges(
  { greylisting, outgoingScan: scan }: MailValues,
  stored: Stored,
): Change[] {
  const changes: Change[] = [];
  if (greylisting !== stored.greylisting) {
    const mailboxes = pluralize(stored.mailboxes, "mailbox", "mailboxes");
    const text = greylisting
      ? `Turn on greylisting for ${mailboxes}: mail from new senders arrives minutes later`
      : `Turn off greylisting for ${mailboxes}`;
    changes.push({ name: "greylisting", text });
  }
  if (scan !== stored.outgoingScan)
    changes.push({ name: "outgoingScan", text: scanText(scan, stored.mailboxes) });
  return changes;
}

function scanText(scan: MailValues["outgoingScan"], mailboxes: number): string {
  const senders = `${pluralize(mailboxes, "mailbox", "mailboxes")} and the API`;
  if (scan === "off") return `Stop scanning mail from ${senders}`;
  if (scan === "reject") return `Reject spam from ${senders}`;
  const held = mailboxes === 1 ? "The mailbox" : `Any of ${formatCount(mailboxes)} mailboxes`;
  return `${held} that sends spam is put on hold; spam sent through the API fails`;
}
