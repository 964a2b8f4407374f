import { connectString } from "./quoting.ts";
import type { DovecotSettings } from "./settings.ts";

/** Plugins of all protocols, and of IMAP sessions. */
export const MAIL_PLUGINS = "quota quota_clone";
export const IMAP_PLUGINS = "imap_quota imap_sieve last_login";

/**
 * The namespace of shared mailboxes. It exists only in IMAP sessions of mailbox users with whom a mailbox is shared, and always
 * together with the plugin that checks their rights (`shareColumns`): Sieve scripts, POP3 and all other users can't name
 * other mailboxes.
 */
export const sharedNamespace = `namespace shared {
  type = shared
  disabled = yes
  separator = /
  prefix = Shared mailboxes/%%u/
  location = sdbox:%%h/sdbox
  subscriptions = no
  list = children
}
`;

/**
 * The rights to a shared mailbox are static, those of two groups named after it (`aclSet` in server/gateways/dovecot.ts). At sign-in,
 * Dovecot learns in which of these groups the mailbox user is.
 */
export const sharesPlugin = `    acl = vfile
    acl_defaults_from_inbox = yes
    acl_shared_dict = proxy:dict-async:shares
`;

/** Where Dovecot reads which shared mailboxes to list: it asks for a mailbox user, its groups, and everyone. What it writes
 * itself, when folders are created, is ignored. */
export function sharesConf({ databaseUrl }: Pick<DovecotSettings, "databaseUrl">): string {
  const map = (pattern: string, table: string, viewer: string) => `map {
  pattern = shared/shared-boxes/${pattern}$mailbox
  table = ${table}
  value_field = can_write
  fields {
${viewer}    mailbox = $mailbox
  }
}
`;
  const viewer = "    viewer = $viewer\n";
  return `connect = ${connectString(databaseUrl, 4)}
${map("user/$viewer/", "(SELECT * FROM mailbox_viewers WHERE is_near) AS v", viewer)}\
${map("group/$viewer/", "ignored_shares", viewer)}\
${map("anyone/", "ignored_shares", "")}`;
}

/** A column of the inner query of a sign-in. */
export const shareGroups = `CASE WHEN '%s' = 'imap' THEN ( \
    SELECT string_agg(CASE WHEN s.can_write THEN 'write:' ELSE 'read:' END || s.mailbox, ',') \
    FROM mailbox_viewers s WHERE s.viewer = m.address AND s.is_near) END AS userdb_acl_groups`;

/** Columns of the outer one, `q`, that follow from it. */
export const shareColumns = [
  ["namespace/shared/disabled", "no"],
  ["mail_plugins", `acl ${MAIL_PLUGINS} ${IMAP_PLUGINS}`],
]
  .map(
    ([name, value]) =>
      `, CASE WHEN q.userdb_acl_groups IS NOT NULL THEN '${value}' END AS "userdb_${name}"`,
  )
  .join("");
