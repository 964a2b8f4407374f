import { sql } from "drizzle-orm";

import { addressVariants } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { Db } from "#server/db/client.ts";

import type { Submitter } from "./find-submitter.ts";
import { SubmissionError } from "./submission-error.ts";

/**
 * Requires that a mailbox can send as an address: its own, an active alias, a group that it is a member of and that
 * lets members send, that of a mailbox shared with it for sending, or one of these with a tag (`user+tag@`). A catch-all
 * only receives. The company must have verified ownership of the domain.
 *
 * @param asWhat names the field in the error
 * @returns the domain whose DKIM key signs, and the group if the address belongs to one
 * @throws SubmissionError
 */
export async function requireOwnAddress(
  db: Db,
  { address: mailbox, companyId }: Pick<Submitter, "address" | "companyId">,
  address: string,
  asWhat: string,
): Promise<{ domainId: string; group: string | null }> {
  const names = addressVariants(address);
  const rows = await db.execute<{
    address: string;
    domainId: string;
    isGroup: boolean;
    isOwn: boolean;
  }>(sql`
    with own as (
      select address from mailboxes where address = ${mailbox} and company_id = ${companyId}
      union select address from aliases where mailbox = ${mailbox} and active and address not like '*@%'
    ), shared as (
      select m.address from mailbox_viewers v
        join mailboxes m on m.address = v.mailbox and m.company_id = ${companyId}
      where v.viewer = ${mailbox} and v.can_send_as
    )
    select a.address, a.domain_id as "domainId",
      exists (select from groups where address = a.address) as "isGroup",
      d.ownership_proven_at is not null and a.company_id = ${companyId} and (
        a.address in (select address from own union select address from shared)
        or exists (
          select from groups g join group_members gm on gm.group_address = g.address
          where g.address = a.address and g.active and g.members_send_as
            and gm.member in (select address from own))
      ) as "isOwn"
    from addresses a join domains d on d.id = a.domain_id
    where a.address in (${names[0]}, ${names.at(-1)})`);
  // An exact match takes precedence over one without the tag.
  const found = names.map((name) => rows.find((row) => row.address === name)).find(Boolean);
  if (!found?.isOwn)
    throw new SubmissionError(
      "5.7.1",
      `${asWhat}: ${mailbox} can't send as ${address}. Use its own address, an alias, or a group that lets members send`,
    );
  return { domainId: found.domainId, group: found.isGroup ? found.address : null };
}
