import { change, read } from "#app/console/console-client.ts";

import type { MailboxFilters } from "#app/console/(pages)/mailboxes/queries.ts";

/** At most 1,000, the limit of a bulk action. */
export const fetchMatchingMailboxes = (filters: MailboxFilters) =>
  read("mailboxes.select", { query: filters });

type Change = { active?: boolean; quotaMb?: number; orgUnitId?: number };

export const patchMailbox = (email: string, body: Change) =>
  change("mailboxes.update", {
    params: { email },
    body,
  });

/** @returns the temporary password */
export async function resetMailboxPassword(email: string): Promise<string> {
  const { temporaryPassword: password } = await change("mailboxAccess.resetPassword", {
    params: { email },
    body: {},
  });
  return password;
}

export async function removeMailbox(email: string): Promise<null> {
  await change("mailboxes.delete", {
    params: { email },
  });
  return null;
}
