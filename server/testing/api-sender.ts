import { eq } from "drizzle-orm";

import { emailEvents, emails } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import type { SettingName } from "#server/core/platform/settings/settings.ts";
import { db } from "#server/db/pool.ts";

import { aCompany, anApiKey, aDomain } from "./factories.ts";

/** A company that sends through the API: a verified domain, a key, and the body of a valid email. */
export async function anApiSender(
  company: Parameters<typeof aCompany>[0] = {},
  domain: Parameters<typeof aDomain>[1] = {},
) {
  const { id: companyId } = await aCompany(company);
  const { token: key, id: keyId } = await anApiKey(companyId);
  const sendingDomain = await aDomain(companyId, domain);
  const email = {
    from: `Ann <ann@${sendingDomain.name}>`,
    to: "bob@example.org",
    subject: "Hello",
    text: "Hi",
  };
  return { companyId, key, keyId, domain: sendingDomain, email };
}

/** Changes run-time settings for the rest of a test file. */
export async function withSettings(values: Partial<Record<SettingName, number>>): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await changeSetting(db(), name, String(value));
}

/** Raises the rate limits above what a test needs. */
export const withoutRates = () =>
  withSettings({ request_rate_per_second: 10_000, requests_in_progress: 10_000 });

/** The history of an email: types, recipients and reasons, oldest first. */
export const historyOf = (emailId: string) =>
  db()
    .select({
      type: emailEvents.type,
      recipient: emailEvents.recipient,
      reason: emailEvents.reason,
    })
    .from(emailEvents)
    .where(eq(emailEvents.emailId, emailId))
    .orderBy(emailEvents.id);

/** The number of emails of a company. */
export const emailsOf = (companyId: string) => db().$count(emails, eq(emails.companyId, companyId));
