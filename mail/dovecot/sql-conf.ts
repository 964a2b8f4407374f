import { dovecotFolders } from "./folders.ts";
import { connectString, sqlText } from "./quoting.ts";
import type { DovecotSettings } from "./settings.ts";

type Settings = Pick<DovecotSettings, "baseUrl" | "databaseUrl" | "dataFolder">;

/**
 * While it has no connection Dovecot cannot escape a user name, puts nothing in its place and asks all the
 * same once it is connected: everybody would be unknown, and their mail refused for good. A division by
 * zero makes that an error of the database, which passes.
 */
const isNamed = "length('%u') / length('%u') = 1";

const quotaRule = `'*:storage=' || quota_mb || 'M'`;

/**
 * Who may sign in, and who has a mailbox. Dovecot escapes what it puts in place of `%u` (the whole
 * user name), `%n` and `%d` (its parts).
 *
 * A user whose sign-in is stopped hears why, but only after the right password; mail still arrives.
 * `user+tag@domain` finds the mailbox `user@domain` (RFC 5233) where no mailbox has that very name.
 */
export function usersConf({ baseUrl, databaseUrl, dataFolder }: Settings): string {
  const home = `${sqlText(`${dovecotFolders(dataFolder).mail}/`)} || store`;
  const newPassword = `Please set a new password first: ${baseUrl}/account`;
  return `driver = pgsql
connect = ${connectString(databaseUrl, 4)}
default_pass_scheme = ARGON2ID
password_query = SELECT address AS "user", '{ARGON2ID}' || password_hash AS password, \\
  CASE WHEN suspended_at IS NOT NULL OR force_password_change THEN 'y' END AS nologin, \\
  CASE WHEN suspended_at IS NOT NULL THEN 'This mailbox is suspended.' \\
       WHEN force_password_change THEN ${sqlText(newPassword)} END AS reason, \\
  ${quotaRule} AS userdb_quota_rule, ${home} AS userdb_home \\
  FROM mailboxes WHERE address = '%u' AND ${isNamed}
user_query = SELECT address AS "user", ${quotaRule} AS quota_rule, ${home} AS home \\
  FROM mailboxes WHERE address = coalesce((SELECT coalesce(l.mailbox, a.address) \\
    FROM addresses a LEFT JOIN aliases l ON l.address = a.address \\
    WHERE a.address IN ('%u', split_part('%n', '+', 1) || '@%d') AND a.kind <> 'group' \\
    ORDER BY length(a.address) DESC LIMIT 1), '') AND ${isNamed}
iterate_query = SELECT address AS "user" FROM mailboxes ORDER BY address
`;
}

/** Where the quota_clone plugin writes what a mailbox holds. */
export function usageConf({ databaseUrl }: Settings): string {
  const column = (key: string, name: string) => `map {
  pattern = priv/quota/${key}
  table = mailbox_usage
  username_field = address
  value_field = ${name}
  value_type = uint
}
`;
  return `connect = ${connectString(databaseUrl, 4)}
${column("storage", "used_bytes")}${column("messages", "messages")}`;
}

/** Where the last_login plugin writes when somebody signed in. */
export function signInsConf({ databaseUrl }: Settings): string {
  return `connect = ${connectString(databaseUrl, 4)}
map {
  pattern = shared/last-login/$user
  table = mailbox_sign_ins
  value_field = last_sign_in
  value_type = uint
  fields {
    address = $user
  }
}
`;
}
