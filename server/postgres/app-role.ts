// cspell:ignore nobypassrls datdba deptype nspname nspowner pronamespace proowner refclassid refobjsubid regprocedure regtype relkind relnamespace relowner roleid typnamespace typowner typrelid typtype
import { createHmac } from "node:crypto";

import { readPassword } from "./cluster.ts";

/**
 * The role of all processes and commands. It owns the database, but isn't a superuser, who could run programs and read files of
 * the server. Only what concerns the whole cluster uses the superuser: starting, backups, copies, and this role itself.
 */
const APP_ROLE = "posthouse_app";

/** Derived from the superuser's, so that there is one file to keep. */
const appPassword = (password: string) =>
  createHmac("sha256", password).update(APP_ROLE).digest("base64url");

/** The connection string of the appliance's role, from that of the superuser. */
export function toAppUrl(adminUrl: string): string {
  const url = new URL(adminUrl);
  url.password = appPassword(decodeURIComponent(url.password));
  url.username = APP_ROLE;
  return url.href;
}

/**
 * The connection string of the superuser, from that of the appliance's role. Any other stays as it is, such as one of the operator's
 * own database.
 *
 * @param folder of the cluster
 */
export function toAdminUrl(url: string, folder: string): string {
  const admin = new URL(url);
  if (admin.username !== APP_ROLE) return url;
  admin.username = "posthouse";
  admin.password = readPassword(folder);
  return admin.href;
}

/**
 * Creates the appliance's role and makes it the owner of everything that the superuser created: all of it in a cluster of an earlier
 * version, and new tables in a copy that was checked. Runs at each start, before anything else uses the database.
 *
 * @param adminUrl of the superuser
 * @returns the connection string of the role
 */
export async function ensureAppRole(adminUrl: string): Promise<string> {
  const appUrl = toAppUrl(adminUrl);
  const { default: connect } = await import("postgres");
  const admin = connect(adminUrl, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await admin.begin(async (sql) => {
      // Slow statements are logged, and one contains the password.
      await sql`set local log_min_duration_statement = -1`;
      await sql`select pg_advisory_xact_lock(hashtext(${APP_ROLE}))`;
      const [known] = await sql`select from pg_roles where rolname = ${APP_ROLE}`;
      // REPLICATION to end a stream of WAL that fills the disk, CREATEROLE for Dovecot's role.
      await sql.unsafe(`
        ${known ? "alter" : "create"} role ${APP_ROLE} login nosuperuser nocreatedb createrole replication nobypassrls
        password '${decodeURIComponent(new URL(appUrl).password)}'`);
      await sql.unsafe(GRANT);
      for (const { statement } of await sql.unsafe<{ statement: string }[]>(CHANGES))
        await sql.unsafe(statement);
    });
  } finally {
    await admin.end();
  }
  return appUrl;
}

/** To show facts about the server, and to keep passwords out of its log. */
const GRANT = `
  grant pg_monitor to ${APP_ROLE};
  grant set on parameter log_min_duration_statement to ${APP_ROLE}`;

/** Parts of extensions, and sequences of columns, follow what they belong to. */
const isOwn = (catalog: string, id: string) => `
  not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${id}
    and (d.deptype = 'e' or d.deptype in ('a', 'i') and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0))`;

/** What to change so that the role owns all of the database that the superuser owns. */
const CHANGES = `
  with own as (
    select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'),
  owner as (select oid from pg_roles where rolname = current_user)
  select format('alter database %I owner to ${APP_ROLE}', datname) as statement
    from pg_database where datname = current_database() and datdba in (table owner)
  union all
  select format('alter schema %I owner to ${APP_ROLE}', nspname)
    from pg_namespace where oid in (table own) and nspowner in (table owner)
  union all
  select format('alter %s %s owner to ${APP_ROLE}',
      case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
      oid::regclass)
    from pg_class where relkind in ('r', 'p', 'v', 'm', 'S', 'f') and relnamespace in (table own)
      and relowner in (table owner) and ${isOwn("pg_class", "pg_class.oid")}
  union all
  select format('alter routine %s owner to ${APP_ROLE}', oid::regprocedure)
    from pg_proc where pronamespace in (table own) and proowner in (table owner) and ${isOwn("pg_proc", "pg_proc.oid")}
  union all
  select format('alter type %s owner to ${APP_ROLE}', t.oid::regtype)
    from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typnamespace in (table own) and t.typowner in (table owner) and t.typtype in ('e', 'd', 'r', 'c')
      and (c.oid is null or c.relkind = 'c') and ${isOwn("pg_type", "t.oid")}
  union all
  select format('grant %I to ${APP_ROLE} with admin option, inherit false, set false', rolname)
    from pg_roles r where rolname = current_database() || '_dovecot'
      and not exists (select from pg_auth_members m where m.roleid = r.oid and m.admin_option
        and m.member = (select oid from pg_roles where rolname = '${APP_ROLE}'))`;
