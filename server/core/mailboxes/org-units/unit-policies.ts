import { and, eq, gt, inArray, sql, type SQL, type SQLWrapper } from "drizzle-orm";

import { appPasswords, mailboxes, mailboxSignIns, type OrgUnit } from "#drizzle/schema/index.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import type { Context } from "#server/core/shared/context.ts";

import type { UnitPolicies } from "./units.ts";

export type PolicyName = keyof UnitPolicies;

export type PolicyValue = UnitPolicies[PolicyName];

/**
 * Values if no unit sets any; the `mailbox_policies` view has the same. A null quota means the company's
 * default.
 */
export const POLICY_DEFAULTS = {
  defaultQuotaMb: null,
  imapAllowed: true,
  pop3Allowed: true,
  submissionAllowed: true,
  calendarAllowed: true,
  outsideAllowed: true,
  forwarding: "confirmed",
  appPasswordsAllowed: true,
  passwordLengthMin: 12,
  quarantineDigest: "off",
  quarantineRelease: "none",
  fullTextSearch: "on",
} as const satisfies Record<PolicyName, PolicyValue>;

const POLICY_NAMES = Object.keys(POLICY_DEFAULTS) as PolicyName[];

/** A policy's value, and the unit that sets it; null if it is the default. */
export type EffectivePolicy = {
  name: PolicyName;
  value: PolicyValue;
  from: PolicySource | null;
};

/** `id` is null for a unit that the caller can't see. */
type PolicySource = { id: number | null; name: string };

type Setting = Pick<OrgUnit, "id" | "name"> & UnitPolicies;

/**
 * The policies that apply in a unit of the company.
 *
 * @param callerPrivileges units that they don't include are named "a unit above"
 */
export async function readEffectivePolicies(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  unitId: number,
): Promise<EffectivePolicy[]> {
  const units = await listAncestors(ctx, unitId);
  return POLICY_NAMES.map((name) => {
    const setter = units.find((unit) => unit[name] !== null);
    return {
      name,
      value: setter ? setter[name] : POLICY_DEFAULTS[name],
      from: setter ? toPolicySource(callerPrivileges, setter) : null,
    };
  });
}

function toPolicySource(callerPrivileges: HeldPrivileges, { id, name }: Setting): PolicySource {
  return hasPrivilegeIn(callerPrivileges, "view_users", id)
    ? { id, name }
    : { id: null, name: "a unit above" };
}

/** The unit and its ancestors, nearest first. */
const listAncestors = (ctx: Context, unitId: number) =>
  ctx.db.execute<Setting>(sql`
    with recursive up as (
      select u.*, 0 as height from org_units u
      where u.id = ${unitId} and u.company_id = ${ctx.companyId}
      union all
      select u.*, up.height + 1 from org_units u join up on u.id = up.parent_id
    )
    select id, name, default_quota_mb as "defaultQuotaMb", imap_allowed as "imapAllowed",
      pop3_allowed as "pop3Allowed", submission_allowed as "submissionAllowed",
      calendar_allowed as "calendarAllowed",
      outside_allowed as "outsideAllowed", forwarding, app_passwords_allowed as "appPasswordsAllowed",
      password_length_min as "passwordLengthMin", quarantine_digest as "quarantineDigest",
      quarantine_release as "quarantineRelease", full_text_search as "fullTextSearch"
    from up order by height`);

const SINCE = sql`statement_timestamp() - interval '7 days'`;

const hasSignedIn = (time: SQLWrapper): SQL => sql`exists (
  select from ${mailboxSignIns}
  where ${mailboxSignIns.address} = ${mailboxes.address} and ${time} > extract(epoch from ${SINCE}))`;

/** Whether the mailbox used what the policy allows in the last seven days. */
const USED: Partial<Record<PolicyName, SQL>> = {
  imapAllowed: hasSignedIn(mailboxSignIns.lastSignIn),
  pop3Allowed: hasSignedIn(mailboxSignIns.lastPop3),
  appPasswordsAllowed: sql`exists (
    select from ${appPasswords}
    where ${and(eq(appPasswords.mailbox, mailboxes.address), gt(appPasswords.lastUsedAt, SINCE))})`,
};

/**
 * The mailboxes of the units that used what the policy allows in the last seven days. Null if that isn't
 * known for the policy.
 */
export async function countPolicyUse(
  { db, companyId }: Context,
  policy: PolicyName,
  unitIds: number[],
): Promise<number | null> {
  const isUsed = USED[policy];
  if (!isUsed) return null;
  return db.$count(
    mailboxes,
    and(eq(mailboxes.companyId, companyId), inArray(mailboxes.orgUnitId, unitIds), isUsed),
  );
}
