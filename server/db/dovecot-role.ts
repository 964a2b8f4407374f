import { createHash } from "node:crypto";

import type postgres from "postgres";

import { lockTransaction } from "./advisory-locks.ts";
import { connect } from "./client.ts";

/** Postgres truncates longer names. */
const NAME_BYTES_MAX = 63;

/** SQLSTATE insufficient_privilege: our own user cannot create or change roles. */
const NOT_ALLOWED = "42501";

/**
 * Creates a role for Dovecot on the database of `url`, with only the privileges it needs: reading mailboxes, writing
 * usage and sign-ins. Runs at each start, so that it also works after a restore on another server or with new tables.
 *
 * @param password of the role
 * @param onProblem called with the reason when null is returned
 * @returns the URL for Dovecot; null when our own user cannot create roles, or the server rejects the new one
 */
export async function ensureDovecotRole(
  url: string,
  { password, onProblem }: { password: string; onProblem: (reason: unknown) => void },
): Promise<string | null> {
  const connection = connect(url, { max: 1 });
  try {
    const name = await connection.sql.begin((sql) => makeRole(sql, password));
    const roleUrl = new URL(url);
    roleUrl.username = encodeURIComponent(name);
    roleUrl.password = encodeURIComponent(password);
    await requireUsable(roleUrl.href);
    return roleUrl.href;
  } catch (error) {
    if (!isAboutRole(error)) throw error;
    onProblem(error);
    return null;
  } finally {
    await connection.close();
  }
}

async function makeRole(sql: postgres.TransactionSql, password: string): Promise<string> {
  await lockTransaction(sql, "dovecotRole");
  // Slow statements are logged, and these contain the password. Not every role can turn that off.
  await sql`select set_config('log_min_duration_statement', '-1', true)
    where has_parameter_privilege('log_min_duration_statement', 'set')`;
  const [{ database }] = await sql<[{ database: string }]>`select current_database() as database`;
  const name = roleName(database);
  const [known] = await sql`select from pg_roles where rolname = ${name}`;
  const verb = known ? "alter" : "create";
  const tables = ["mailbox_usage", "mailbox_sign_ins"];
  for (const statement of [
    await quote(sql, `${verb} role %I login password %L`, [name, password]),
    await quote(sql, "grant usage on schema public to %I", [name]),
    ...(await Promise.all(
      [
        "mailboxes",
        "mail_hosts",
        "addresses",
        "aliases",
        "mailbox_policies",
        "mailbox_rules",
        "mailbox_viewers",
      ].map((table) => quote(sql, "grant select on %I to %I", [table, name])),
    )),
    await quote(sql, "grant select, insert, delete on ignored_shares to %I", [name]),
    await quote(
      sql,
      "grant select (id, email, check_key, credential, created_at) on sign_in_attempts to %I",
      [name],
    ),
    await quote(sql, "grant select (id, mailbox, secret_hash, scope) on app_passwords to %I", [
      name,
    ]),
    await quote(sql, "grant select (id, suspended_at) on companies to %I", [name]),
    await quote(sql, "grant select (mailbox) on mailbox_passkeys to %I", [name]),
    await quote(
      sql,
      "grant select (id, company_id, allows_mailboxes, required_for_mailboxes) on identity_providers to %I",
      [name],
    ),
    await quote(sql, "grant select (mailbox, provider_id) on mailbox_identities to %I", [name]),
    await quote(sql, "grant select (host, role, alive_until, facts) on processes to %I", [name]),
    ...(await Promise.all(
      tables.map((table) =>
        quote(sql, "grant select, insert, update, delete on %I to %I", [table, name]),
      ),
    )),
  ])
    await sql.unsafe(statement);
  return name;
}

/** Named after the database, because several databases of a server may each belong to an appliance. */
function roleName(database: string): string {
  const name = `${database}_dovecot`;
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name;
  return `posthouse_dovecot_${createHash("sha256").update(database).digest("hex").slice(0, 32)}`;
}

async function quote(sql: postgres.TransactionSql, template: string, values: string[]) {
  const [{ statement }] = await sql<[{ statement: string }]>`
    select format(${template}::text, variadic ${values}::text[]) as statement`;
  return statement;
}

async function requireUsable(roleUrl: string): Promise<void> {
  const connection = connect(roleUrl, { max: 1 });
  try {
    await connection.sql`select from mailboxes limit 0`;
  } finally {
    await connection.close();
  }
}

/** Class 28: pg_hba.conf rejects the role. */
function isAboutRole(error: unknown): boolean {
  if (!(error instanceof Error && "code" in error)) return false;
  return error.code === NOT_ALLOWED || String(error.code).startsWith("28");
}
