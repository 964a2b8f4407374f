import { eq } from "drizzle-orm";

import { mailboxPolicies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import type { AllowedProtocols } from "./client-settings.ts";

/** The protocols that the policy of a mailbox's unit allows. */
export async function readAllowedProtocols(db: Db, mailbox: string): Promise<AllowedProtocols> {
  const [policy] = await db
    .select()
    .from(mailboxPolicies)
    .where(eq(mailboxPolicies.address, mailbox));
  return {
    imap: policy?.imapAllowed ?? false,
    pop3: policy?.pop3Allowed ?? false,
    submission: policy?.submissionAllowed ?? false,
  };
}
