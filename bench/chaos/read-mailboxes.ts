import { signIn } from "#server/testing/mail-app.ts";

import { type Company, listMailboxes, PASSWORD } from "./company.ts";
import { recordCopy, type Traffic } from "./traffic.ts";

const FOLDERS = ["INBOX", "Junk"];
/** INTERNALDATE has whole seconds: a copy counts as arrived at the end of its second. */
const PRECISION_MS = 999;

/** Adds the messages in the mailboxes, read over IMAP. */
export async function readMailboxes(
  traffic: Traffic,
  company: Company,
  imapsPort: number,
): Promise<void> {
  for (const address of listMailboxes(company)) {
    const app = await signIn(imapsPort, address, {
      password: PASSWORD,
      secure: true,
      tls: { rejectUnauthorized: false },
    });
    try {
      for (const folder of FOLDERS) {
        const { exists } = await app.mailboxOpen(folder, { readOnly: true });
        if (exists === 0) continue;
        const query = { envelope: true, internalDate: true };
        for await (const { envelope, internalDate } of app.fetch("1:*", query))
          recordCopy(traffic, envelope?.subject ?? "", {
            address,
            messageId: envelope?.messageId ?? "",
            at: new Date(internalDate ?? 0).getTime() + PRECISION_MS,
          });
      }
    } finally {
      await app.logout();
    }
  }
}
