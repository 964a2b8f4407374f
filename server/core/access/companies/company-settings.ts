import { eq, sql } from "drizzle-orm";

import { companies, type Company, requestBodies } from "#drizzle/schema/index.ts";
import { readAllowList } from "#server/core/access/api-keys/api-keys.ts";
import { isRangeInRanges } from "#server/core/access/api-keys/ip-ranges.ts";
import {
  getFactors,
  hasSecondFactor,
  personAccount,
} from "#server/core/access/second-factors/factors.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import {
  type CompanyScope,
  type Context,
  inTransaction,
  lockCompany,
} from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/text.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Language } from "#server/universal/texts/languages.ts";

import {
  type OutgoingScan,
  readMinimumScan,
  setOutgoingScan,
  stricterScan,
} from "./outgoing-scan.ts";

/** The session cookie's lifetime: 14 days. */
const SESSION_HOURS_MAX = 336;

const NAME_MAX = 200;

type Caller = { email: string; isOwner: boolean };

/** Omitted fields keep their values. */
export type CompanyChange = {
  name?: string | undefined;
  greylisting?: boolean | undefined;
  outgoingScan?: Company["outgoingScan"] | undefined;
  allowedAddresses?: string[] | undefined;
  logsRequestBodies?: boolean | undefined;
  language?: Language | undefined;
  sessionHoursMax?: number | undefined;
  secondFactorRequired?: boolean | undefined;
};

/**
 * Changes company settings, all or none, each with an audit entry. Only owners can relax the protection of
 * sign-in and API keys: make the second factor optional, lengthen sessions, or widen the allow-list.
 *
 * @throws Refusal `invalid` beginning with the field, `not_allowed`, `invalid_permission`
 */
export async function changeCompanySettings(
  ctx: Context,
  caller: Caller,
  change: CompanyChange,
): Promise<void> {
  const { name, greylisting, allowedAddresses, sessionHoursMax, secondFactorRequired } = change;
  await inTransaction(ctx, async (ctx) => {
    if (name !== undefined) await renameCompany(ctx, name);
    if (greylisting !== undefined) await setGreylisting(ctx, greylisting);
    if (change.logsRequestBodies !== undefined) await setBodyLog(ctx, change.logsRequestBodies);
    if (change.language !== undefined) await setLanguage(ctx, change.language);
    if (change.outgoingScan !== undefined) await setOutgoingScan(ctx, change.outgoingScan);
    if (allowedAddresses) await asField(changeAllowedAddresses(ctx, caller, allowedAddresses));
    if (sessionHoursMax !== undefined) await changeSessionHours(ctx, caller, sessionHoursMax);
    if (secondFactorRequired !== undefined)
      await requireSecondFactor(ctx, caller, { isRequired: secondFactorRequired });
  });
}

async function asField(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.reason !== "invalid") throw error;
    throw new Refusal(error.reason, `allowed_addresses: ${error.message}`);
  });
}

/** @throws Refusal `invalid` beginning with `name` */
async function renameCompany(ctx: Context, text: string): Promise<void> {
  const name = readOneLine(text, "name", { max: NAME_MAX });
  await inTransaction(ctx, async (ctx) => {
    const { name: from } = await lockCompany(ctx);
    if (from === name) return;
    await ctx.db.update(companies).set({ name }).where(eq(companies.id, ctx.companyId));
    await recordAudit(ctx, "company.renamed", { from, to: name });
  });
}

/**
 * Changes the maximum length of a console session. Existing sessions that are older end at once.
 *
 * @throws Refusal `invalid` beginning with `session_hours_max`; `invalid_permission`
 */
async function changeSessionHours(ctx: Context, { isOwner }: Caller, hours: number): Promise<void> {
  if (!Number.isInteger(hours) || hours < 1 || hours > SESSION_HOURS_MAX)
    throw new Refusal(
      "invalid",
      `session_hours_max: must be a whole number of hours from 1 to ${SESSION_HOURS_MAX}`,
    );
  await inTransaction(ctx, async (ctx) => {
    const { sessionHoursMax: from } = await lockCompany(ctx);
    if (from === hours) return;
    if (hours > from && !isOwner) throw onlyOwner("lengthen sessions");
    await ctx.db
      .update(companies)
      .set({ sessionHoursMax: hours })
      .where(eq(companies.id, ctx.companyId));
    await recordAudit(ctx, "company.session_hours_changed", { from, to: hours });
  });
}

/**
 * Makes a second factor mandatory or optional for the company's admins. Once mandatory, an admin without one
 * can only set one up.
 *
 * @throws Refusal `not_allowed` if the caller has no second factor, and so would lock themselves out; `invalid_permission`
 */
async function requireSecondFactor(
  ctx: Context,
  { email, isOwner }: Caller,
  { isRequired }: { isRequired: boolean },
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { secondFactorRequired: was } = await lockCompany(ctx);
    if (was === isRequired) return;
    if (!isRequired && !isOwner) throw onlyOwner("make the second factor optional");
    if (isRequired && !hasSecondFactor(await getFactors(ctx.db, personAccount(email))))
      throw new Refusal("not_allowed", "Set up a second factor for yourself first");
    await ctx.db
      .update(companies)
      .set({ secondFactorRequired: isRequired })
      .where(eq(companies.id, ctx.companyId));
    const action = isRequired ? "company.second_factor_required" : "company.second_factor_optional";
    await recordAudit(ctx, action, {});
  });
}

/** Turns logging of request bodies on or off for the company. Turning it off deletes the stored bodies. */
async function setBodyLog(ctx: Context, isOn: boolean): Promise<void> {
  const { id, logsRequestBodies } = await lockCompany(ctx);
  if (logsRequestBodies === isOn) return;
  await ctx.db.update(companies).set({ logsRequestBodies: isOn }).where(eq(companies.id, id));
  if (!isOn) await ctx.db.delete(requestBodies).where(eq(requestBodies.companyId, id));
  await recordAudit(ctx, `company.request_bodies_${isOn ? "enabled" : "disabled"}`, {});
}

async function setLanguage(ctx: Context, to: Language): Promise<void> {
  const { id, language: from } = await lockCompany(ctx);
  if (from === to) return;
  await ctx.db.update(companies).set({ language: to }).where(eq(companies.id, id));
  await recordAudit(ctx, "company.language_changed", { from, to });
}

export type CompanySettings = {
  name: string;
  /** Of emails to mailbox users who chose none, and of welcome sheets. */
  language: Language;
  greylisting: boolean;
  logsRequestBodies: boolean;
  /** What happens to spam in outgoing mail: the company's choice, or the operator's minimum if that is stricter. */
  outgoingScan: OutgoingScan;
  outgoingScanMinimum: OutgoingScan;
  allowedAddresses: string[];
  sessionHoursMax: number;
  secondFactorRequired: boolean;
  /** Active keys. */
  apiKeys: number;
  mailboxes: number;
  /** Active admins who would have to set up a second factor if the company required one. */
  adminsWithoutSecondFactor: { email: string; name: string }[];
  admins: number;
};

export async function readCompanySettings(ctx: Context): Promise<CompanySettings> {
  const minimum = await readMinimumScan(ctx.db);
  const [settings] = await ctx.db.execute<Omit<CompanySettings, "outgoingScanMinimum">>(sql`
    select c.name, c.language, c.greylisting, c.logs_request_bodies as "logsRequestBodies", c.outgoing_scan as "outgoingScan", c.allowed_addresses as "allowedAddresses",
      c.session_hours_max as "sessionHoursMax",
      c.second_factor_required as "secondFactorRequired",
      (select count(*) from api_keys k where k.company_id = c.id and k.revoked_at is null)::int
        as "apiKeys",
      (select count(*) from mailboxes b where b.company_id = c.id)::int as mailboxes,
      (select count(*) from admins a where a.company_id = c.id and a.disabled_at is null)::int
        as admins,
      (select coalesce(json_agg(json_build_object('email', a.email, 'name', a.name)
          order by a.email), '[]')
        from admins a join people p on p.email = a.email
        where a.company_id = c.id and a.disabled_at is null and p.totp_secret is null
          and not exists (select from passkeys k where k.email = a.email))
        as "adminsWithoutSecondFactor"
    from companies c where c.id = ${ctx.companyId}`);
  if (!settings) throw new Error(`There is no company ${ctx.companyId}`);
  const outgoingScan = stricterScan(minimum, settings.outgoingScan);
  return { ...settings, outgoingScan, outgoingScanMinimum: minimum };
}

/**
 * Replaces the company's allow-list for API keys. An empty list allows every address.
 *
 * @returns the list in canonical form, without duplicates
 * @throws Refusal `invalid` naming the first invalid entry; `invalid_permission` if only an owner can allow more addresses
 */
export async function changeAllowedAddresses(
  ctx: Context,
  { isOwner }: { isOwner: boolean },
  list: string[],
): Promise<string[]> {
  const to = readAllowList(list);
  await inTransaction(ctx, async (ctx) => {
    const { id, allowedAddresses: from } = await lockCompany(ctx);
    if (!isOwner && isWider(from, to)) throw onlyOwner("widen the allow-list");
    await ctx.db.update(companies).set({ allowedAddresses: to }).where(eq(companies.id, id));
    await recordAudit(ctx, "company.allowed_addresses_changed", { from, to });
  });
  return to;
}

const isWider = (from: string[], to: string[]) =>
  from.length > 0 && (to.length === 0 || !to.every((range) => isRangeInRanges(range, from)));

const onlyOwner = (what: string) => new Refusal("invalid_permission", `Only an owner can ${what}`);

const CACHE_TTL_MS = 2_000;
const ENTRIES_MAX = 10_000;

const cache = new PromiseCache<boolean>({ max: ENTRIES_MAX, ttlMs: CACHE_TTL_MS });

/** Whether the company uses greylisting, cached because every recipient of incoming mail needs it and few companies do. */
export function hasGreylisting({ db, companyId }: CompanyScope): Promise<boolean> {
  return cache.get(companyId, async () => {
    const [company] = await db
      .select({ greylisting: companies.greylisting })
      .from(companies)
      .where(eq(companies.id, companyId));
    return company?.greylisting ?? false;
  });
}

/** Turns greylisting for the company's incoming mail on or off, in all processes within two seconds. */
export async function setGreylisting(ctx: Context, isOn: boolean): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { id, greylisting } = await lockCompany(ctx);
    if (greylisting === isOn) return;
    await ctx.db.update(companies).set({ greylisting: isOn }).where(eq(companies.id, id));
    await recordAudit(ctx, `company.greylisting_${isOn ? "enabled" : "disabled"}`, {});
  });
  cache.clear();
}
