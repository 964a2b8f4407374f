import { call } from "#app/console/console-client.ts";
import type { deleteMailbox } from "#server/console/mailboxes/delete-mailbox.ts";
import type { resetPassword } from "#server/console/mailboxes/reset-password.ts";
import type { selectMailboxes } from "#server/console/mailboxes/select-mailboxes.ts";
import type { updateMailbox } from "#server/console/mailboxes/update-mailbox.ts";

import type { MailboxFilters } from "#app/console/(pages)/mailboxes/queries.ts";

/** At most 1,000, the limit of a bulk action. */
export const fetchMatchingMailboxes = (filters: MailboxFilters) =>
  call<typeof selectMailboxes>("GET", "/console/api/mailbox-selection", { query: filters });

type Change = { active?: boolean; quota_mb?: number; org_unit_id?: number };

export const patchMailbox = (email: string, body: Change) =>
  call<typeof updateMailbox>("PATCH", "/console/api/mailboxes/{email}", {
    params: { email },
    body,
  });

/** @returns the temporary password */
export async function resetMailboxPassword(email: string): Promise<string> {
  const { temporary_password: password } = await call<typeof resetPassword>(
    "POST",
    "/console/api/mailboxes/{email}/password",
    { params: { email }, body: {} },
  );
  return password;
}

export async function removeMailbox(email: string): Promise<null> {
  await call<typeof deleteMailbox>("DELETE", "/console/api/mailboxes/{email}", {
    params: { email },
  });
  return null;
}
