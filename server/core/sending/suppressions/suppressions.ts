import { and, eq, inArray, sql, type SQL } from "drizzle-orm";
import { v7 } from "uuid";
import { z } from "zod";

import { type Suppression, suppressions } from "#drizzle/schema/index.ts";
import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal, SealError, unseal } from "#server/core/shared/secrets/seal.ts";
import { deleteInBatches, isOlderThan, oldestId } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

import { type ListFormat, type NewSuppression, readRow, recognizeList } from "./read-list.ts";
import { filterSuppressed } from "./suppressed.ts";

/**
 * Returns a suppression of the company by id or address.
 *
 * @throws Refusal `not_found`
 */
export async function getSuppression(ctx: Context, idOrAddress: string): Promise<Suppression> {
  const [found] = await ctx.db.select().from(suppressions).where(byIdOrAddress(ctx, idOrAddress));
  if (!found) throw suppressionNotFound();
  return found;
}

/**
 * Adds addresses to the company's suppression list manually, all or none. Existing entries keep their id and
 * origin.
 *
 * @param addresses as parseRecipient returns them
 * @returns the ids in the order in which the addresses first occur, each once
 */
export async function addSuppressions(ctx: Context, addresses: string[]): Promise<string[]> {
  const distinct = [...new Set(addresses)];
  return inTransaction(ctx, async (ctx) => {
    const rows = await ctx.db
      .insert(suppressions)
      // Sorted, so that concurrent callers with the same addresses don't deadlock.
      .values(
        distinct
          .toSorted()
          .map((email) => ({ companyId: ctx.companyId, email, origin: "manual" as const })),
      )
      // A no-op update: returns and locks the existing row.
      .onConflictDoUpdate({
        target: [suppressions.companyId, suppressions.email],
        set: { email: sql`excluded.email` },
      })
      .returning({
        id: suppressions.id,
        email: suppressions.email,
        isNew: sql<boolean>`${suppressions}.xmax = 0`,
      });
    const added = rows.filter(({ isNew }) => isNew);
    const entries = added.map(({ id, email }) => ({ suppressionId: id, email }));
    await recordAudits(ctx, "suppression.added", entries);
    const ids = new Map(rows.map(({ email, id }) => [email, id]));
    return distinct.map((email) => ids.get(email)!);
  });
}

/**
 * Adds any number of addresses to the company's suppression list, with one audit entry. Existing entries stay as they are; of
 * several entries for an address, the first counts.
 *
 * @returns the addresses that were new
 */
export async function addSuppressionsInBulk(
  ctx: Context,
  entries: NewSuppression[],
): Promise<Set<string>> {
  const distinct = new Map<string, NewSuppression & { id: string }>();
  for (const entry of entries)
    if (!distinct.has(entry.email)) distinct.set(entry.email, { ...entry, id: v7() });
  return inTransaction(ctx, async (ctx) => {
    // Sorted, so that concurrent callers with the same addresses don't deadlock.
    const rows = await ctx.db.execute<{ email: string }>(sql`
      insert into suppressions (id, company_id, email, origin, created_at)
      select id, ${ctx.companyId}::uuid, email, origin, coalesce("createdAt", clock_timestamp())
      from jsonb_to_recordset(${JSON.stringify([...distinct.values()])}::jsonb)
        as given(id uuid, email text, origin text, "createdAt" timestamptz)
      order by email collate "C"
      on conflict (company_id, email) do nothing
      returning email`);
    const added = rows.map(({ email }) => email);
    if (added.length > 0) await recordAudit(ctx, "suppressions.added", auditSummary(added));
    return new Set(added);
  });
}

/** Rows of a list, with the first one, which may have headings. */
export type ListRows = { fileName: string; first: string[]; rows: string[][] };

/** `header` is a row with headings. */
export type RowResult =
  | { outcome: "header" }
  | { outcome: "invalid"; problem: string; written: string }
  | { outcome: "new" | "already"; entry: NewSuppression };

/** What importing each row would do, without changing anything. A later row with the same address is `new` too. */
export async function checkList(
  ctx: Context,
  list: ListRows,
): Promise<{ format: ListFormat; results: RowResult[] }> {
  const { format, rows } = readList(ctx, list);
  const suppressed = await filterSuppressed(
    ctx,
    entriesOf(rows).map(({ email }) => email),
  );
  const results = rows.map((row): RowResult => {
    if (row === null) return { outcome: "header" };
    if ("problem" in row) return { outcome: "invalid", ...row };
    const { entry } = row;
    return { outcome: suppressed.has(entry.email) ? "already" : "new", entry };
  });
  return { format, results };
}

/**
 * Adds the addresses of a list with their reasons and dates. Addresses that are already suppressed stay as they are, so a
 * repeated import changes nothing.
 *
 * @returns how many were added
 */
export async function importList(ctx: Context, list: ListRows): Promise<number> {
  const { rows } = readList(ctx, list);
  return (await addSuppressionsInBulk(ctx, entriesOf(rows))).size;
}

function readList(ctx: Context, { fileName, first, rows }: ListRows) {
  const format = recognizeList(first, fileName);
  const now = ctx.now();
  return { format, rows: rows.map((cells) => readRow(cells, format, now)) };
}

const entriesOf = (rows: ReturnType<typeof readRow>[]): NewSuppression[] =>
  rows.flatMap((row) => (row && "entry" in row ? [row.entry] : []));

/**
 * Removes an entry from the company's suppression list by id or address. Emails go to the address again until
 * it bounces again.
 *
 * @returns its id
 * @throws Refusal `not_found`
 */
export async function removeSuppression(ctx: Context, idOrAddress: string): Promise<string> {
  const [removed] = await remove(ctx, byIdOrAddress(ctx, idOrAddress));
  if (!removed) throw suppressionNotFound();
  return removed.id;
}

/**
 * Removes many entries at once; those not on the list are ignored.
 *
 * @param named addresses as parseRecipient returns them, or ids
 * @returns their ids, in the order in which they were first named
 */
export async function removeSuppressions(
  ctx: Context,
  named: { emails: string[] } | { ids: string[] },
): Promise<string[]> {
  const byEmail = "emails" in named;
  const names = byEmail
    ? [...new Set(named.emails)]
    : [...new Set(named.ids.filter(isUuid).map((id) => id.toLowerCase()))];
  const removed = await remove(
    ctx,
    and(
      eq(suppressions.companyId, ctx.companyId),
      inArray(byEmail ? suppressions.email : suppressions.id, names),
    ),
  );
  const ids = new Map(removed.map(({ id, email }) => [byEmail ? email : id, id]));
  return names.flatMap((name) => ids.get(name) ?? []);
}

function remove(ctx: Context, which: SQL | undefined): Promise<Suppression[]> {
  return inTransaction(ctx, async (ctx) => {
    // Locked in the order in which addresses are added, to avoid deadlocks.
    const held = await ctx.db
      .select()
      .from(suppressions)
      .where(which)
      .orderBy(sql`${suppressions.email} collate "C"`)
      .for("update");
    if (held.length === 0) return [];
    await ctx.db.delete(suppressions).where(
      inArray(
        suppressions.id,
        held.map(({ id }) => id),
      ),
    );
    const entries = held.map(({ id, email, origin }) => ({ suppressionId: id, email, origin }));
    await recordAudits(ctx, "suppression.removed", entries);
    return held;
  });
}

/** The removed rows, for undo. */
const Removed = z.object({
  kind: z.literal("removed_suppressions"),
  companyId: z.string(),
  until: z.number(),
  rows: z.array(
    z.object({
      id: z.string(),
      email: z.string(),
      origin: z.enum(suppressions.origin.enumValues),
      sourceId: z.string().nullable(),
      createdAt: z.string(),
    }),
  ),
});

const UNDO_MS = 3_600_000;

/**
 * Removes entries from the company's suppression list with one audit entry; ids that aren't on it are
 * ignored.
 *
 * @returns how many were removed, and a sealed token for `restoreSuppressions`: only the server decides why
 *   an address is on the list
 */
export async function removeWithUndo(
  ctx: Context,
  ids: string[],
): Promise<{ removed: number; undo: string }> {
  const { companyId } = ctx;
  const rows = await inTransaction(ctx, async (ctx) => {
    const which = and(
      eq(suppressions.companyId, companyId),
      inArray(suppressions.id, ids.filter(isUuid)),
    );
    // Locked in the order in which addresses are added, to avoid deadlocks.
    const held = await ctx.db
      .select()
      .from(suppressions)
      .where(which)
      .orderBy(sql`${suppressions.email} collate "C"`)
      .for("update");
    const heldIds = held.map(({ id }) => id);
    await ctx.db.delete(suppressions).where(inArray(suppressions.id, heldIds));
    const emails = held.map(({ email }) => email);
    if (held.length > 0) await recordAudit(ctx, "suppressions.removed", auditSummary(emails));
    return held;
  });
  const until = ctx.now().getTime() + UNDO_MS;
  const removed = { kind: "removed_suppressions", companyId, until, rows };
  return { removed: rows.length, undo: seal("removed_suppressions", JSON.stringify(removed)) };
}

/**
 * Restores entries removed within the last hour. An address that has been added again meanwhile stays as it
 * is.
 *
 * @returns how many were restored
 * @throws Refusal `invalid` if the token isn't one of this company, or has expired
 */
export async function restoreSuppressions(ctx: Context, undo: string): Promise<number> {
  const { rows } = readRemoved(ctx, undo);
  return inTransaction(ctx, async (ctx) => {
    const back = await ctx.db.execute<{ email: string }>(sql`
      insert into suppressions (id, company_id, email, origin, source_id, created_at)
      select r.id, ${ctx.companyId}::uuid, r.email, r.origin, r."sourceId", r."createdAt"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(
        id uuid, email text, origin text, "sourceId" uuid, "createdAt" timestamptz)
      order by r.email collate "C"
      on conflict do nothing
      returning email`);
    const emails = back.map(({ email }) => email);
    if (emails.length > 0) await recordAudit(ctx, "suppressions.restored", auditSummary(emails));
    return emails.length;
  });
}

function readRemoved(ctx: Context, undo: string) {
  const read = Removed.safeParse(contentOf(undo));
  const isOurs = read.success && read.data.companyId === ctx.companyId;
  if (isOurs && read.data.until > ctx.now().getTime()) return read.data;
  throw new Refusal("invalid", "This can no longer be undone");
}

function contentOf(sealed: string): unknown {
  try {
    return JSON.parse(unseal("removed_suppressions", sealed));
  } catch (error) {
    if (error instanceof SealError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Imported ones, which have no email and the date of the other provider, count from the import: their ID, a UUIDv7, says when it
 * was.
 */
function isOld(days: number) {
  const { id, createdAt, origin, sourceId } = suppressions;
  return sql`${origin} = 'bounce' and ${isOlderThan(createdAt, days)}
    and (${sourceId} is not null or ${id} < ${oldestId(days)})`;
}

/** Counts what `deleteOldSuppressions` would delete. */
export const countOldSuppressions = (db: Db, days: number): Promise<number> =>
  db.$count(suppressions, isOld(days));

/**
 * Deletes suppressions for bounces that are older than `days`, so that the addresses are tried again. The others
 * stay.
 *
 * @returns the number of suppressions deleted
 */
export const deleteOldSuppressions = (db: Db, days: number): Promise<number> =>
  deleteInBatches(db, suppressions, { where: isOld(days) });

/**
 * Condition for the company's suppression with this id or address: with an @ it is an address
 * (case-insensitive). Matches nothing if it is neither.
 */
const byIdOrAddress = (ctx: Context, name: string): SQL | undefined =>
  and(eq(suppressions.companyId, ctx.companyId), named(name));

function named(name: string): SQL {
  if (isUuid(name)) return eq(suppressions.id, name);
  const address = name.includes("@") ? parseRecipient(name)?.address : undefined;
  return address === undefined ? sql`false` : eq(suppressions.email, address);
}

const suppressionNotFound = () => new Refusal("not_found", "Suppression not found");

/** Audit entries list up to this many addresses; of more, only the number. */
const NAMED_MAX = 20;

/** Details of an audit entry for several addresses. */
const auditSummary = (emails: string[]) => ({
  count: emails.length,
  ...(emails.length <= NAMED_MAX && { emails: emails.toSorted() }),
});
