import { and, asc, eq, type SQL, sql } from "drizzle-orm";

import { dkimKeys, domains, mailboxes, mailboxRules } from "#drizzle/schema/index.ts";
import {
  listPublishableRecords,
  loadDomain,
} from "#server/core/domains/dns-checks/check-records.ts";
import { isLive } from "#server/core/domains/domains/require-domain.ts";
import { formatZoneFile } from "#server/core/domains/doctor/zone-file.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type CompanyScope, type Context, inTransaction } from "#server/core/shared/context.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";

import { batchOf, EXPORTED, EXPORTED_MESSAGES } from "./exported-tables.ts";

/** A company's exported data, as of one moment. */
export type CompanySnapshot = {
  takenAt: string;
  /** The rows of an exported table, as JSON. */
  lines(table: string): AsyncGenerator<string>;
  messages(kind: keyof typeof EXPORTED_MESSAGES): AsyncGenerator<{ id: string; content: Buffer }>;
  /** Zone files with the records to publish. */
  zones(): AsyncGenerator<{ domain: string; text: string }>;
  /** As PKCS#8 PEM. */
  dkimPrivateKeys(): AsyncGenerator<{ domain: string; selector: string; pem: string }>;
  /** Generated from the rules of mailboxes. */
  sieveScripts(): Promise<{ mailbox: string; script: string }[]>;
  mailboxes(): Promise<string[]>;
};

/**
 * Records the export in the audit log, then reads a consistent snapshot: changes made meanwhile aren't in it. Rows are
 * read in small batches, so memory doesn't grow with the company.
 *
 * @param details for the audit log
 */
export async function takeSnapshot<T>(
  ctx: Context,
  details: Record<string, unknown>,
  work: (snapshot: CompanySnapshot) => Promise<T>,
): Promise<T> {
  await inTransaction(ctx, (ctx) => recordAudit(ctx, "company.exported", details));
  return ctx.db.transaction(
    async (tx) => {
      const [clock] = await tx.execute<{ at: string }>(
        sql`select to_json(transaction_timestamp()) #>> '{}' as at`,
      );
      return work(snapshotOf({ ...ctx, db: tx }, clock!.at));
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

const snapshotOf = (ctx: Context, takenAt: string): CompanySnapshot => ({
  takenAt,
  lines: (table) => readLines(ctx, table),
  messages: (kind) => readMessages(ctx, kind),
  zones: () => readZones(ctx),
  dkimPrivateKeys: () => readPrivateKeys(ctx),
  sieveScripts: () =>
    ctx.db
      .select({ mailbox: mailboxRules.mailbox, script: mailboxRules.script })
      .from(mailboxRules)
      .innerJoin(mailboxes, eq(mailboxes.address, mailboxRules.mailbox))
      .where(eq(mailboxes.companyId, ctx.companyId))
      .orderBy(asc(mailboxRules.mailbox)),
  async mailboxes() {
    const rows = await ctx.db
      .select({ address: mailboxes.address })
      .from(mailboxes)
      .where(eq(mailboxes.companyId, ctx.companyId))
      .orderBy(asc(mailboxes.address));
    return rows.map(({ address }) => address);
  },
});

async function* readLines(ctx: Context, table: string): AsyncGenerator<string> {
  const columns = await exportedColumns(ctx, table);
  const rows = readRows<{ line: string }>(
    ctx,
    batchOf(table),
    sql`
    select row_to_json(r)::text as line
    from (select ${sql.join(columns, sql`, `)} from ${source(table)} where ${owner(table)} = ${ctx.companyId}) r`,
  );
  for await (const { line } of rows) yield `${line}\n`;
}

/** The columns of a table to export; binary ones in base64. */
async function exportedColumns(ctx: Context, table: string): Promise<SQL[]> {
  const { omit = [] } = EXPORTED[table]!;
  const columns = await ctx.db.execute<{ name: string; type: string }>(sql`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = current_schema() and table_name = ${table}
    order by ordinal_position`);
  return columns
    .filter(({ name }) => !omit.includes(name))
    .map(({ name, type }) => {
      const column = sql`t.${sql.identifier(name)}`;
      if (type !== "bytea") return column;
      return sql`translate(encode(${column}, 'base64'), e'\n', '') as ${sql.identifier(name)}`;
    });
}

function source(table: string): SQL {
  const { parent } = EXPORTED[table]!;
  const own = sql`${sql.identifier(table)} t`;
  if (!parent) return own;
  return sql`${own} join ${sql.identifier(parent[0])} p on ${sql.raw(parent[1])}`;
}

function owner(table: string): SQL {
  if (table === "companies") return sql`t.id`;
  return EXPORTED[table]!.parent ? sql`p.company_id` : sql`t.company_id`;
}

async function* readMessages(ctx: Context, kind: keyof typeof EXPORTED_MESSAGES) {
  const { table, key, parent } = EXPORTED_MESSAGES[kind];
  yield* readRows<{ id: string; content: Buffer }>(
    ctx,
    1,
    sql`
    select p.id, t.content
    from ${sql.identifier(parent)} p join ${sql.identifier(table)} t on t.${sql.identifier(key)} = p.id
    where p.company_id = ${ctx.companyId}`,
  );
}

/** Reads with a cursor, `batch` rows at a time. One query at a time: they share the cursor's name. */
async function* readRows<Row extends Record<string, unknown>>(
  { db }: Pick<Context, "db">,
  batch: number,
  query: SQL,
): AsyncGenerator<Row> {
  await db.execute(sql`declare export_rows no scroll cursor for ${query}`);
  for (;;) {
    const rows = await db.execute(sql.raw(`fetch ${batch} from export_rows`));
    yield* rows as unknown as Row[];
    if (rows.length < batch) break;
  }
  await db.execute(sql`close export_rows`);
}

async function* readZones(ctx: Context): AsyncGenerator<{ domain: string; text: string }> {
  for (const { id, name } of await ownDomains(ctx)) {
    const records = listPublishableRecords(await loadDomain(ctx, id));
    if (records.length > 0) yield { domain: name, text: formatZoneFile(records) };
  }
}

async function* readPrivateKeys(ctx: Context) {
  for (const { id, name } of await ownDomains(ctx)) {
    const keys = await ctx.db
      .select({ selector: dkimKeys.selector, sealed: dkimKeys.sealedPrivateKey })
      .from(dkimKeys)
      .where(eq(dkimKeys.domainId, id))
      .orderBy(asc(dkimKeys.selector));
    for (const { selector, sealed } of keys)
      yield { domain: name, selector, pem: unseal("dkim_key", sealed) };
  }
}

const ownDomains = (ctx: Context) =>
  ctx.db
    .select({ id: domains.id, name: domains.name })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), isLive))
    .orderBy(asc(domains.name));

/** What the mail of the company's mailboxes takes. */
export async function mailBytes({ db, companyId }: CompanyScope): Promise<number> {
  const [row] = await db.execute<{ bytes: string }>(sql`
    select coalesce(sum(u.used_bytes), 0) as bytes
    from mailbox_usage u join mailboxes m on m.address = u.address
    where m.company_id = ${companyId}`);
  return Number(row!.bytes);
}
