import { sql, type SQL } from "drizzle-orm";

import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { isLive } from "#server/core/domains/domains/require-domain.ts";
import { eventBits } from "#server/core/sending/events/email-events.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

export const FIRST_GOALS = ["send", "mailboxes", "both"] as const;

/** What an admin wants to do first with a new company. */
export type FirstGoal = (typeof FIRST_GOALS)[number];

const CHECKLIST_STEPS = [
  ...(["domain", "dns", "api_key", "send", "mailboxes", "mail_app"] as const),
  ...(["invite", "second_factor"] as const),
] as const;

type StepName = (typeof CHECKLIST_STEPS)[number];

/** A new company's progress. */
export type Checklist = {
  /** Null until the admin chooses. */
  goal: FirstGoal | null;
  /** Goals that the admin has the privileges for. */
  goals: FirstGoal[];
  /** The domain that is set up the furthest; null if there is none. */
  domain: { id: string; name: string } | null;
  /** The address of the oldest mailbox. */
  mailbox: string | null;
  /** The steps to the goal, in order. */
  steps: { name: StepName; isDone: boolean }[];
  /** An email was accepted. */
  hasSent: boolean;
  /** Hidden by this admin. */
  isHidden: boolean;
};

type Facts = Pick<Checklist, "domain" | "mailbox" | "goal" | "hasSent" | "isHidden"> &
  Record<
    | ("isVerified" | "receives" | "hasKey" | "hasDelivered" | "hasMailApp")
    | ("hasTeam" | "hasSecondFactor"),
    boolean
  >;

const STEPS: Record<FirstGoal, StepName[]> = {
  send: ["domain", "dns", "api_key", "send", "invite", "second_factor"],
  mailboxes: ["domain", "dns", "mailboxes", "mail_app", "invite", "second_factor"],
  both: [...CHECKLIST_STEPS],
};

// Bounds the query. A company that sent this many emails is past its first steps.
const EMAILS_SCANNED_MAX = 500;

const DELIVERED = eventBits(["delivered", "opened", "clicked"]);

/**
 * Null if nothing is left to do, for companies that are past their first steps and whose admin never chose a goal, and
 * for admins whose privileges don't cover any goal.
 */
export async function readChecklist(
  ctx: Context,
  { email, privileges }: Pick<HeldPrivileges, "privileges"> & { email: string },
): Promise<Checklist | null> {
  const goals = FIRST_GOALS.filter(
    (goal) =>
      (goal === "mailboxes" || privileges.has("api_controls")) &&
      (goal === "send" || privileges.has("create_users")),
  );
  if (goals.length === 0) return null;
  const facts = await readFacts(ctx, email);
  const { domain, mailbox, hasSent, isHidden } = facts;
  const chosen = goals.find((goal) => goal === facts.goal) ?? null;
  if (chosen === null && goals.some((goal) => isReached(goal, facts))) return null;
  const goal = chosen ?? (goals.length === 1 ? goals[0]! : null);
  const steps = goal === null ? [] : STEPS[goal].map((name) => stepOf(name, goal, facts));
  if (goal !== null && steps.every(({ isDone }) => isDone)) return null;
  return { goal, goals, domain, mailbox, steps, hasSent, isHidden };
}

const isReached = (goal: FirstGoal, { hasDelivered, hasMailApp }: Facts) =>
  goal === "send" ? hasDelivered : goal === "mailboxes" ? hasMailApp : hasDelivered || hasMailApp;

function stepOf(name: StepName, goal: FirstGoal, facts: Facts): Checklist["steps"][number] {
  const done: Record<StepName, boolean> = {
    domain: facts.domain !== null,
    dns: facts.isVerified && (goal === "send" || facts.receives),
    api_key: facts.hasKey,
    send: facts.hasDelivered,
    mailboxes: facts.mailbox !== null,
    mail_app: facts.hasMailApp,
    invite: facts.hasTeam,
    second_factor: facts.hasSecondFactor,
  };
  return { name, isDone: done[name] };
}

/** @param email the admin's sign-in address: each admin has a goal and hides the checklist for themselves */
async function readFacts({ db, companyId }: Context, email: string): Promise<Facts> {
  const [row] = await db.execute<Facts>(sql`
    with own as (
      select domains.id, domains.name, domains.status = 'verified' as is_verified,
        exists(select from domain_findings f
          where f.domain_id = domains.id and f.record = 'mx' and f.is_verified) as receives
      from domains where domains.company_id = ${companyId} and ${isLive}
      order by 3 desc, 4 desc, domains.created_at limit 1
    ), admins_choice as (select choices from preferences where email = ${email})
    select (select json_build_object('id', id, 'name', name) from own) as domain,
      coalesce((select is_verified from own), false) as "isVerified",
      coalesce((select receives from own), false) as receives,
      exists(select from api_keys k where k.company_id = ${companyId} and k.revoked_at is null)
        as "hasKey",
      sent.count > 0 as "hasSent", sent.delivered > 0 as "hasDelivered",
      (select b.address from mailboxes b where b.company_id = ${companyId}
        order by b.created_at, b.address limit 1) as mailbox,
      exists(select from mailboxes b join mailbox_sign_ins s on s.address = b.address
        where b.company_id = ${companyId} and s.last_sign_in > 0) as "hasMailApp",
      (select count(*) from admins a where a.company_id = ${companyId}) > 1
        or exists(select from invitations i where i.company_id = ${companyId}) as "hasTeam",
      exists(select from people p where p.email = ${email} and p.totp_secret is not null)
        or exists(select from passkeys k where k.email = ${email}) as "hasSecondFactor",
      (select choices -> 'first_goals' ->> ${companyId}::text from admins_choice) as goal,
      coalesce((select choices -> 'checklists_put_away' ? ${companyId}::text from admins_choice),
        false) as "isHidden"
    from (
      select count(*) as count, count(*) filter (where event_types & ${DELIVERED} <> 0) as delivered
      from (
        select event_types from emails where company_id = ${companyId} and not is_test
        order by created_at, id limit ${EMAILS_SCANNED_MAX}) first) sent`);
  return row!;
}

/** Sets an admin's goal, or hides or shows the checklist for them. Idempotent. */
export async function changeChecklist(
  { db, companyId }: Context,
  email: string,
  { isHidden, goal }: { isHidden?: boolean | undefined; goal?: FirstGoal | undefined },
): Promise<void> {
  const company = sql`${companyId}::text`;
  const own = JSON.stringify(isHidden ? [companyId] : []);
  if (isHidden !== undefined)
    await changePreferences(
      db,
      email,
      (choices) => sql`jsonb_build_object('checklists_put_away',
        (coalesce(${choices} -> 'checklists_put_away', '[]') - ${company}) || ${own}::jsonb)`,
    );
  if (goal !== undefined)
    await changePreferences(
      db,
      email,
      (choices) => sql`jsonb_build_object('first_goals',
        coalesce(${choices} -> 'first_goals', '{}') || jsonb_build_object(${company}, ${goal}::text))`,
    );
}

/**
 * Changes a person's preferences in one statement, so that simultaneous changes don't lose each other.
 *
 * @param changed returns the entries to set, as JSON, given the current ones
 */
export async function changePreferences(
  db: Db,
  email: string,
  changed: (choices: SQL) => SQL,
): Promise<void> {
  await db.execute(sql`
    insert into preferences (email, choices) values (${email}, ${changed(sql`'{}'::jsonb`)})
    on conflict (email) do update
    set choices = preferences.choices || ${changed(sql`preferences.choices`)}`);
}
