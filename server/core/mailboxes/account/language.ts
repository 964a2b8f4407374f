import { stringifySetCookie } from "cookie";
import { and, eq, sql } from "drizzle-orm";

import { companies, mailboxes } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { isLanguage, type Language, LANGUAGE_COOKIE } from "#server/universal/texts/languages.ts";

/** The language of emails to a mailbox: the one that its user chose, or else the company's. */
export const mailboxLanguage = sql<string>`coalesce(${mailboxes.language}, ${companies.language})`;

/** A stored language; English if this version doesn't have it anymore. */
export const knownLanguage = (stored: string | undefined): Language =>
  isLanguage(stored) ? stored : "en";

const own = ({ companyId }: CompanyScope, mailbox: string) =>
  and(eq(mailboxes.companyId, companyId), eq(mailboxes.address, mailbox));

/** The language of emails to a mailbox. */
export async function readMailLanguage(ctx: CompanyScope, mailbox: string): Promise<Language> {
  const [found] = await ctx.db
    .select({ language: mailboxLanguage })
    .from(mailboxes)
    .innerJoin(companies, eq(companies.id, mailboxes.companyId))
    .where(own(ctx, mailbox));
  return knownLanguage(found?.language);
}

/** @param language null for the browser's */
export async function chooseLanguage(
  ctx: CompanyScope,
  mailbox: string,
  language: Language | null,
): Promise<void> {
  await ctx.db.update(mailboxes).set({ language }).where(own(ctx, mailbox));
}

const COOKIE_SECONDS = 365 * 86_400;

/** The Set-Cookie value that makes the next pages appear in a language; null for the browser's. */
export const languageCookie = (language: Language | null): string =>
  stringifySetCookie({
    name: LANGUAGE_COOKIE,
    value: language ?? "",
    path: "/",
    maxAge: language ? COOKIE_SECONDS : 0,
    httpOnly: true,
    sameSite: "lax",
    secure: config().baseUrl.startsWith("https:"),
  });
