import { sql } from "drizzle-orm";

import {
  type Company,
  groupsOfUnit,
  type Mailbox,
  type MailboxPolicy,
} from "#drizzle/schema/index.ts";
import {
  isProviderRequired,
  signsInWithProvider,
} from "#server/core/access/single-sign-on/mailbox-links.ts";
import { findOutsideAddresses } from "#server/core/mailboxes/addresses/addresses.ts";
import {
  addressVariants,
  isRoleAddress,
  resolveRecipients,
} from "#server/core/mailboxes/mailboxes/recipients.ts";
import { addressDomain, parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";

/** A mailbox that submits mail, with what decides whether it can. */
export type Submitter = Pick<Mailbox, "address" | "companyId"> &
  Pick<Company, "serviceEnabled" | "subscriptionActive"> &
  Pick<MailboxPolicy, "submissionAllowed" | "outsideAllowed"> & {
    /** Changes with the password, the app passwords and whether the password is accepted, which ends existing SMTP sessions. */
    credentialsVersion: string;
    /** Whether its sending is on hold. */
    isHeld: boolean;
    /** The mailbox or its company is suspended, or it must change its password, even for app passwords. */
    isBlocked: boolean;
  };

/**
 * The current state of a mailbox that submits mail; null if it doesn't exist.
 *
 * @param isLocked locks the mailbox until the caller's transaction ends, so that it sends one message at a time and
 *   its sending isn't put on hold or released in the meantime
 */
export async function findSubmitter(
  db: Db,
  address: string,
  { isLocked }: { isLocked: boolean },
): Promise<Submitter | null> {
  if (isLocked)
    await db.execute(sql`select from mailboxes where address = ${address} for no key update`);
  const [found] = await db.execute<Submitter>(sql`
    select mailboxes.address, mailboxes.company_id as "companyId",
      md5(password_hash || force_password_change || ${isProviderRequired}
        || coalesce((
          select string_agg(a.id::text, ',' order by a.id) from app_passwords a
          where a.mailbox = mailboxes.address), '')) as "credentialsVersion",
      sending_held_at is not null as "isHeld",
      mailboxes.suspended_at is not null or c.suspended_at is not null
        or force_password_change and not ${signsInWithProvider} as "isBlocked",
      c.service_enabled as "serviceEnabled", c.subscription_active as "subscriptionActive",
      p.submission_allowed as "submissionAllowed", p.outside_allowed as "outsideAllowed"
    from mailboxes
      join companies c on c.id = mailboxes.company_id
      join mailbox_policies p on p.address = mailboxes.address
    where mailboxes.address = ${address}`);
  return found ?? null;
}

/**
 * Requires that a signed-in mailbox can still send.
 *
 * @param credentialsVersion as of the sign-in
 * @throws SubmissionError
 */
export async function requireSubmitter(
  db: Db,
  { address, credentialsVersion }: Pick<Submitter, "address" | "credentialsVersion">,
  options: { isLocked: boolean },
): Promise<Submitter> {
  const submitter = await findSubmitter(db, address, options);
  if (!submitter || submitter.isBlocked || submitter.credentialsVersion !== credentialsVersion)
    throw new SubmissionError("5.7.1", "The mailbox or its password has changed. Sign in again");
  if (!submitter.submissionAllowed)
    throw new SubmissionError("5.7.1", "Your company does not allow this mailbox to send mail");
  if (!submitter.serviceEnabled)
    throw new SubmissionError("5.7.1", "The email service is turned off for your company");
  if (!submitter.subscriptionActive)
    throw new SubmissionError(
      "5.7.1",
      "Your company has no active subscription, so sending is paused",
    );
  return submitter;
}

type Sender = Pick<Submitter, "address" | "companyId">;

/** The addresses of a mailbox, and those that are shared with it for sending. */
const ownAddresses = ({ address: mailbox, companyId }: Sender) => sql`
    own as (
      select address from mailboxes where address = ${mailbox} and company_id = ${companyId}
      union select address from aliases where mailbox = ${mailbox} and active and address not like '*@%'
    ), shared as (
      select m.address from mailbox_viewers v
        join mailboxes m on m.address = v.mailbox and m.company_id = ${companyId}
      where v.viewer = ${mailbox} and v.can_send_as
    )`;

/** Whether the mailbox can send as `a.address` at the domain `d`. */
const canSendAs = ({ address: mailbox, companyId }: Sender) => sql`
      d.ownership_proven_at is not null and a.company_id = ${companyId} and (
        a.address in (select address from own union select address from shared)
        or exists (
          select from groups g where g.address = a.address and g.active and g.members_send_as and (
            g.address in (select group_address from group_members where member in (select address from own))
            or g.address in ${groupsOfUnit(sql`(select org_unit_id from mailboxes where address = ${mailbox})`)}))
      )`;

/** The addresses that a mailbox can send as, its own first, each with a name for the From field. */
export async function listOwnAddresses(
  db: Db,
  sender: Sender,
): Promise<{ address: string; name: string }[]> {
  return db.execute<{ address: string; name: string }>(sql`
    with ${ownAddresses(sender)}
    select a.address, coalesce(nullif(g.name, ''), m.name, me.name) as name
    from addresses a join domains d on d.id = a.domain_id
      join mailboxes me on me.address = ${sender.address}
      left join mailboxes m on m.address = a.address
      left join groups g on g.address = a.address
    where ${canSendAs(sender)}
    order by a.address <> me.address, a.address`);
}

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
  sender: Sender,
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
    with ${ownAddresses(sender)}
    select a.address, a.domain_id as "domainId",
      exists (select from groups where address = a.address) as "isGroup",
      ${canSendAs(sender)} as "isOwn"
    from addresses a join domains d on d.id = a.domain_id
    where a.address in (${names[0]}, ${names.at(-1)})`);
  // An exact match takes precedence over one without the tag.
  const found = names.map((name) => rows.find((row) => row.address === name)).find(Boolean);
  if (!found?.isOwn)
    throw new SubmissionError(
      "5.7.1",
      `${asWhat}: ${sender.address} can't send as ${address}. Use its own address, an alias, or a group that lets members send`,
    );
  return { domainId: found.domainId, group: found.isGroup ? found.address : null };
}

/**
 * Parses a recipient and rejects one that would only bounce: a nonexistent address at a domain that is delivered
 * here.
 *
 * @returns the bare address
 * @throws SubmissionError
 */
export async function requireRecipient(
  db: Db,
  submitter: Pick<Submitter, "companyId" | "outsideAllowed">,
  text: string,
): Promise<string> {
  const address = parseRecipient(text)?.address;
  if (!address) throw new SubmissionError("5.1.3", "Invalid email address");
  await requireAllowedRecipients(db, submitter, [address]);
  if (!isRoleAddress(address) && (await isDeliveredHere(db, addressDomain(address)))) {
    const known = await resolveRecipients(db, [address]);
    if (!known.has(address)) throw new SubmissionError("5.1.1", `${address} does not exist`);
  }
  return address;
}

/**
 * Requires that a mailbox can write to all recipients.
 *
 * @returns the recipients outside the company, that is at domains whose ownership it hasn't verified
 * @throws SubmissionError if there are any and the mailbox can't write to outside addresses
 */
export async function requireAllowedRecipients(
  db: Db,
  { companyId, outsideAllowed }: Pick<Submitter, "companyId" | "outsideAllowed">,
  recipients: string[],
): Promise<string[]> {
  const outside = await findOutsideAddresses({ db, companyId }, recipients);
  if (outside.length > 0 && !outsideAllowed)
    throw new SubmissionError(
      "5.7.1",
      `Your company only allows this mailbox to write to addresses at its own domains, not to ${outside[0]!}`,
    );
  return outside;
}

/** Whether the domain is owned by a company on this appliance and its MX record points here. */
async function isDeliveredHere(db: Db, name: string): Promise<boolean> {
  const [found] = await db.execute(sql`
    select from domains d join domain_findings f
      on f.domain_id = d.id and f.record = 'mx' and f.is_verified
    where d.name = ${name} and d.ownership_proven_at is not null`);
  return found !== undefined;
}

/** A submission is rejected, with an enhanced status code (RFC 3463). */
export class SubmissionError extends Error {
  override name = "SubmissionError";
  /** 4.x.x can be retried. */
  readonly enhancedCode: `${4 | 5}.${number}.${number}`;

  constructor(enhancedCode: `${4 | 5}.${number}.${number}`, text: string) {
    super(text);
    this.enhancedCode = enhancedCode;
  }
}
