import {
  and,
  asc,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  or,
  type SQL,
  sql,
} from "drizzle-orm";

import { apiKeys, domains, type Email, emails, type EmailState } from "#drizzle/schema/index.ts";
import {
  type CountedEventType,
  eventBit,
  eventBits,
} from "#server/core/sending/events/email-events.ts";
import { type Context, inMode } from "#server/core/shared/context.ts";
import { type DirectedPageRequest, isUuid } from "#server/core/shared/paging/pages.ts";
import { searchByTime, type SearchedPage } from "#server/core/shared/paging/search-by-time.ts";
import { storableText } from "#server/core/shared/text.ts";

import { PROBLEM_STATES } from "./email-input.ts";

/** Emails are wide and must be read one by one; these bounds end a page's search after about 250 ms. */
const BOUNDS = { step: 20_000, stepsMax: 5 };

/** An email with the name of the API key that sent it; null if none did. */
export type FoundEmail = Email & { apiKey: string | null };

/** `hasMore` is also true if the search stopped early. */
export type EmailsFound = SearchedPage<FoundEmail>;

/**
 * Returns a page of the company's matching emails, newest first: what was found within the bounds, possibly
 * nothing (paging/search-by-time.ts).
 *
 * @throws Refusal `invalid` for a cursor that is not an email of the company
 */
export async function searchEmails(
  ctx: Context,
  page: DirectedPageRequest,
  filters: EmailFilters,
  bounds = BOUNDS,
): Promise<EmailsFound> {
  const found = await searchByTime(ctx.db, emails, partsOf(ctx, filters), page, bounds);
  const names = await loadKeyNames(ctx, found.rows);
  const rows = found.rows.map((email) => ({
    ...email,
    apiKey: names.get(email.apiKeyId ?? "") ?? null,
  }));
  return { ...found, rows, hasMore: found.hasMore || found.searchedTo !== null };
}

const partsOf = (ctx: Context, filters: EmailFilters) => ({
  inList: and(
    eq(emails.companyId, ctx.companyId),
    filters.isTest === null ? undefined : inMode({ isTest: filters.isTest }, emails.isTest),
  )!,
  within: indexedConditions(filters),
  fits: unindexedConditions(filters),
});

async function loadKeyNames(
  { db, companyId }: Context,
  rows: Email[],
): Promise<Map<string, string>> {
  const ids = [...new Set(rows.flatMap(({ apiKeyId }) => apiKeyId ?? []))];
  if (ids.length === 0) return new Map();
  const keys = await db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.companyId, companyId), inArray(apiKeys.id, ids)));
  return new Map(keys.map(({ id, name }) => [id, name]));
}

/** Filters of a company's emails; null or an empty list means any. */
export type EmailFilters = {
  /** Only test emails, or none. */
  isTest: boolean | null;
  /** Part of a recipient's address, words of the subject, an ID, or a Message-ID that contains one. */
  text?: string | null;
  /** Substring of an address in to, cc or bcc; case-insensitive. */
  recipient: string | null;
  /** Words that must all occur in the subject, in any order; case-insensitive. */
  subject: string | null;
  /** Also matches a problem of one recipient that another recipient's outcome has superseded. */
  states: EmailState[];
  /** Matches if the event ever happened, as metrics count. */
  event?: CountedEventType | null;
  domainId: string | null;
  /** `value` null matches any value. */
  tag: { name: string; value: string | null } | null;
  /** `none`: sent from the console. */
  apiKeyId: string | null;
  /** Accepted at or after `from`, and before `to`. */
  from: Date | null;
  to: Date | null;
};

export const WITHOUT_KEY = "none";

export const NO_FILTERS: EmailFilters = {
  recipient: null,
  subject: null,
  states: [],
  domainId: null,
  tag: null,
  apiKeyId: null,
  from: null,
  to: null,
  isTest: null,
};

/** Conditions that no index supports, so each email must be read. Undefined if there are none. */
function unindexedConditions(filters: EmailFilters): SQL | undefined {
  const { recipient, subject, states, event = null, domainId, tag, apiKeyId } = filters;
  return and(
    matchesText(filters.text),
    recipient === null ? undefined : matchesRecipient(recipient),
    ...splitWords(subject).map(matchesSubject),
    states.length === 0 ? undefined : matchesState(states),
    event === null ? undefined : sql`${emails.eventTypes} & ${eventBit(event)} <> 0`,
    domainId === null ? undefined : eq(emails.domainId, domainId),
    tag === null ? undefined : hasTag(tag),
    apiKeyId === null
      ? undefined
      : apiKeyId === WITHOUT_KEY
        ? isNull(emails.apiKeyId)
        : eq(emails.apiKeyId, apiKeyId),
  );
}

/** Conditions that bound the search: a range of the newest-first index, or a single email. */
const indexedConditions = ({ text = null, from, to }: EmailFilters): SQL | undefined =>
  and(
    text === null || idIn(text) === null ? undefined : eq(emails.id, idIn(text)!),
    from === null ? undefined : gte(emails.createdAt, from.toISOString()),
    to === null ? undefined : lt(emails.createdAt, to.toISOString()),
  );

function matchesState(states: EmailState[]): SQL | undefined {
  const troubles = eventBits(
    PROBLEM_STATES.filter((type) => type !== "complained" && states.includes(type)),
  );
  const isNewest = inArray(emails.lastEvent, states);
  return troubles === 0 ? isNewest : or(isNewest, sql`${emails.eventTypes} & ${troubles} <> 0`);
}

/** The ID that a text consists of: `01990000-…`, or `<01990000-…@example.com>`, the Message-ID. */
function idIn(text: string): string | null {
  const id = /^<?([\da-f-]{36})(@[^\s@]+)?$/.exec(text.trim().toLowerCase())?.[1];
  return id !== undefined && isUuid(id) ? id : null;
}

function matchesText(text?: string | null): SQL | undefined {
  if (text === undefined || text === null || idIn(text) !== null) return undefined;
  const words = splitWords(text);
  const inSubject = words.length === 0 ? undefined : and(...words.map(matchesSubject));
  return or(matchesRecipient(text), inSubject);
}

/** Addresses are stored in lower case. The line break keeps a match from spanning two of them. */
function matchesRecipient(part: string): SQL {
  const all = sql`array_to_string(${emails.to} || ${emails.cc} || ${emails.bcc}, chr(10))`;
  return sql`strpos(${all}, ${storableText(part).toLowerCase()}) > 0`;
}

const matchesSubject = (word: string): SQL =>
  sql`strpos(lower(${emails.subject}), lower(${word})) > 0`;

const splitWords = (text: string | null): string[] =>
  storableText(text ?? "")
    .split(/\s+/)
    .filter(Boolean);

function hasTag({ name, value }: { name: string; value: string | null }): SQL {
  const wanted = [
    { name: storableText(name), ...(value !== null && { value: storableText(value) }) },
  ];
  return sql`${emails.tags} @> ${JSON.stringify(wanted)}::jsonb`;
}

const KEYS_MAX = 500;

export type EmailFilterOptions = {
  /** With verified ownership; those that can send first. */
  domains: { id: string; name: string; canSend: boolean }[];
  /** Newest first, revoked ones last: older emails were sent with them. */
  keys: { id: string; name: string; isRevoked: boolean }[];
};

/** Lists the domains and API keys that emails of the company can be filtered by. */
export async function getEmailFilterOptions({
  db,
  companyId,
}: Context): Promise<EmailFilterOptions> {
  const canSend = sql<boolean>`${domains.status} = 'verified'`;
  const isRevoked = sql<boolean>`${apiKeys.revokedAt} is not null`;
  const [own, keys] = await Promise.all([
    db
      .select({ id: domains.id, name: domains.name, canSend })
      .from(domains)
      .where(and(eq(domains.companyId, companyId), isNotNull(domains.ownershipProvenAt)))
      .orderBy(desc(canSend), asc(domains.createdAt), asc(domains.id)),
    db
      .select({ id: apiKeys.id, name: apiKeys.name, isRevoked })
      .from(apiKeys)
      .where(eq(apiKeys.companyId, companyId))
      .orderBy(asc(isRevoked), desc(apiKeys.createdAt), desc(apiKeys.id))
      .limit(KEYS_MAX),
  ]);
  return { domains: own, keys };
}
