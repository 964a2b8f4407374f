import { sql } from "drizzle-orm";

import { type OutgoingScan, readMinimumScan, stricterScan } from "./outgoing-scan.ts";
import type { Context } from "#server/core/shared/context.ts";

export type CompanySettings = {
  name: string;
  greylisting: boolean;
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
    select c.name, c.greylisting, c.outgoing_scan as "outgoingScan", c.allowed_addresses as "allowedAddresses",
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
