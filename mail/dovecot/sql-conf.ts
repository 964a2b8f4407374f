import { hostname } from "node:os";

import { lockNumber } from "#server/db/advisory-locks.ts";

import { dovecotFolders } from "./folders.ts";
import { proxyColumns } from "./hosts-conf.ts";
import { sqlText } from "./quoting.ts";
import type { DovecotSettings } from "./settings.ts";
import { IMAP_PLUGINS, MAIL_PLUGINS } from "./dovecot-conf.ts";

// Queries with the variables of Dovecot 2.4; `variables23` translates them.

type Settings = Pick<
  DovecotSettings,
  "version" | "hasSearch" | "baseUrl" | "dataFolder" | "mailHost" | "policy"
> & {
  ports: Pick<DovecotSettings["ports"], "imaps" | "pop3s" | "sieve">;
};

/**
 * Without a connection, Dovecot cannot escape the user name: it inserts an empty string and runs the query once
 * connected. Every user would be unknown, and mail rejected permanently. A division by zero turns that into a
 * temporary database error.
 */
const isNamed = "length('%{user}') / length('%{user}') = 1";

/** Columns for settings whose names or values differ between the versions of Dovecot. */
const COLUMNS = {
  "2.3": {
    quota: ["quota_rule", "'*:storage=' || m.quota_mb || 'M'"],
    rules: ["sieve_before2", sqlText("dict:proxy:dict-async:rules;name=rules;bindir=~/rules")],
    signInDict: "last_login_dict",
    oneByte: "1",
    aclPlugin: ["mail_plugins", ["acl", ...MAIL_PLUGINS, ...IMAP_PLUGINS].join(" ")],
  },
  "2.4": {
    // At least the current usage: above the quota, mail apps couldn't move messages to Trash. New messages are still rejected.
    // Not for deliveries: at exactly the limit, they would be rejected only after the rules had forwarded them.
    quota: [
      "quota_storage_size",
      `greatest(m.quota_mb * 1048576::bigint, CASE WHEN '%{protocol}' <> 'lmtp' THEN
    (SELECT u.used_bytes FROM mailbox_usage u WHERE u.address = m.address) END) || 'B'`,
    ],
    rules: ["sieve_script/rules/sieve_script_type", "'before'"],
    signInDict: "last_login/dict",
    oneByte: "1B",
    aclPlugin: ["mail_plugins/acl", "yes"],
  },
} as const;

const home = ({ dataFolder }: Settings) =>
  `${sqlText(`${dovecotFolders(dataFolder).mail}/`)} || m.store`;

/**
 * For a mailbox that another mail host stores, a division by zero makes the lookup fail temporarily: mail for a mailbox
 * that has just been moved is then delivered to the right host, instead of a second store here.
 */
const storedHere = ({ mailHost }: Settings) =>
  mailHost
    ? ` || repeat('', 1 / (coalesce(m.store_host, ${sqlText(mailHost.name)}) = ${sqlText(mailHost.name)})::int)`
    : "";

/** The address of the mail host that stores a mailbox, if it is another one. */
const peerColumn = ({ mailHost }: Settings) =>
  mailHost
    ? `, (SELECT h.address FROM mail_hosts h WHERE h.name = m.store_host AND h.name <> ${sqlText(mailHost.name)}) AS peer`
    : "";

/** As `mailboxHasFactor` (server/core/access/second-factors). */
const hasFactor =
  "(m.totp_secret IS NOT NULL OR EXISTS (SELECT FROM mailbox_passkeys k WHERE k.mailbox = m.address))";

/** As `isProviderRequired` and `signsInWithProvider` (server/core/access/single-sign-on). */
const providerRequired = "coalesce(i.required_for_mailboxes, false)";
const signsInWithProvider = `(${providerRequired} OR coalesce(i.allows_mailboxes, false)
      AND EXISTS (SELECT FROM mailbox_identities n WHERE n.mailbox = m.address AND n.provider_id = i.id))`;

const isProtocolAllowed =
  "CASE '%{protocol}' WHEN 'imap' THEN p.imap_allowed WHEN 'pop3' THEN p.pop3_allowed\n" +
  "    ELSE p.imap_allowed OR p.pop3_allowed END";

/** Whether free disk space is below the reserve. */
export const isDiskLow = `EXISTS (SELECT FROM processes
    WHERE host = ${sqlText(hostname())} AND role = 'mail' AND alive_until > now()
      AND (facts ->> 'isDiskLow')::boolean)`;

/** While it is, limits the size of a script to one byte, so that ManageSieve sessions can't store any. */
const sieveLimit = ({ version }: Settings) => `CASE WHEN '%{protocol}' = 'sieve' AND ${isDiskLow} \
THEN '${COLUMNS[version].oneByte}' END AS userdb_sieve_max_script_size`;

/**
 * The same for mail saved over IMAP. Dovecot 2.3 asks about the disk each time (disk-quota-socket.ts); sessions of 2.4 keep the
 * limit that they got at sign-in, so they are ended when it changes (start-dovecot.ts).
 */
const diskLimit = ({ version }: Settings, prefix: string) =>
  version === "2.3"
    ? ""
    : `, CASE WHEN '%{protocol}' = 'imap' AND ${isDiskLow} \
THEN '1B' END AS "${prefix}quota/Disk/quota_storage_size"`;

/**
 * Uses the search index of a mailbox in IMAP sessions, and where Dovecot indexes for them. Deliveries, imports and all others do
 * without, and so do new sessions while free disk space is below the reserve.
 */
const searchColumns = ({ hasSearch }: Settings, protocol: string, prefix = "") =>
  ["fts", "fts_flatcurve"]
    .filter(() => hasSearch)
    .map(
      (plugin) => `,
  CASE WHEN '%{protocol}' = '${protocol}' AND NOT ${isDiskLow}
    AND (SELECT full_text_search FROM mailbox_policies WHERE address = m.address) = 'on'
    THEN 'yes' END AS "${prefix}mail_plugins/${plugin}"`,
    )
    .join("");

/**
 * The rights to a shared mailbox are static, those of two groups named after its store, since its address can change (`aclSet` in server/gateways/dovecot.ts). At sign-in,
 * Dovecot learns in which of these groups the mailbox user is.
 */
const shareGroups = `CASE WHEN '%{protocol}' = 'imap' THEN (
    SELECT string_agg(CASE WHEN s.can_write THEN 'write:' ELSE 'read:' END || o.store, ',')
    FROM mailbox_viewers s JOIN mailboxes o ON o.address = s.mailbox WHERE s.viewer = m.address AND s.is_near) END AS userdb_acl_groups`;

/**
 * Columns of the outer query that depend on `shareGroups`. The namespace of shared mailboxes exists only in IMAP sessions of mailbox users
 * with whom a mailbox is shared, and always together with the plugin that checks their rights: Sieve scripts, POP3 and all
 * other users can't name other mailboxes.
 */
const shareColumns = ({ version }: Settings) =>
  [["namespace/shared/disabled", "no"], COLUMNS[version].aclPlugin]
    .map(
      ([name, value]) =>
        `, CASE WHEN q.userdb_acl_groups IS NOT NULL THEN '${value}' END AS "userdb_${name}"`,
    )
    .join("");

/**
 * Finds the attempt that the policy server has just counted, and by it the mailbox, so that names mean the same as with SMTP
 * and at `/account`. If it didn't answer in time, a division by zero makes the sign-in fail temporarily: an earlier attempt of
 * the session is then too old. While Postgres is out of space, the policy server counts in memory (`uncountedSignIns`).
 *
 * Reasons have the wording and order of `requireSignInAllowed` (server/core/mailboxes/sign-in) and are shown only after the
 * right password.
 */
function passwordQuery(settings: Settings): string {
  const { version, baseUrl, policy } = settings;
  const { quota } = COLUMNS[version];
  const appPassword = `Use an app password: ${baseUrl}/account`;
  const onlyCalendars = `This app password is only for calendars and contacts. Create another: ${baseUrl}/account`;
  const newPassword = `Set a new password first: ${baseUrl}/account`;
  const withFactor = `Two-factor authentication is on. ${appPassword}`;
  const withProvider = `Your company requires single sign-on. ${appPassword}`;
  const isApp = "coalesce(t.credential LIKE 'app:%', false)";
  const isWebmail = "coalesce(t.credential = 'webmail', false)";
  const isGenerated = `(${isApp} OR ${isWebmail})`;
  // Without stored attempts, app passwords must be typed exactly as they were shown.
  const uncounted = `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND (classid::bigint << 32 | objid::bigint) = ${lockNumber("uncountedSignIns")}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
  const counted = `(SELECT max(id) FROM sign_in_attempts WHERE check_key = '${policy.id}/%{session}'
    AND created_at > clock_timestamp() - interval '20 seconds')`;
  return `SELECT q.*, CASE WHEN reason IS NOT NULL THEN 'y' END AS nologin${proxyColumns(settings)}${shareColumns(settings)} FROM (
  SELECT m.address AS "user", coalesce(t.credential, 'main') AS login_credential,
  CASE WHEN t.credential IS NULL THEN '{ARGON2ID}' || m.password_hash END AS password,
  CASE WHEN t.credential IS NOT NULL THEN 'y' END AS nopassword,
  CASE WHEN m.suspended_at IS NOT NULL OR c.suspended_at IS NOT NULL THEN 'This mailbox is suspended.'
    WHEN NOT ${isGenerated} AND ${providerRequired} THEN ${sqlText(withProvider)}
    WHEN m.force_password_change AND NOT (${isGenerated} AND ${signsInWithProvider}) THEN ${sqlText(newPassword)}
    WHEN CASE WHEN ${isWebmail} THEN '%{protocol}' = 'pop3' ELSE NOT (${isProtocolAllowed}) END THEN 'Your company does not allow this protocol.'
    WHEN ${isApp} AND NOT p.app_passwords_allowed THEN 'Your company does not allow app passwords.'
    WHEN s.scope = 'calendar' THEN ${sqlText(onlyCalendars)}
    WHEN NOT ${isGenerated} AND ${hasFactor} AND p.app_passwords_allowed THEN ${sqlText(withFactor)} END AS reason,
  ${quota[1]} AS userdb_${quota[0]}, ${home(settings)} AS userdb_home,
  ${shareGroups}, ${sieveLimit(settings)}${diskLimit(settings, "userdb_")}${searchColumns(settings, "imap", "userdb_")}${peerColumn(settings)}
  FROM (SELECT email, credential FROM sign_in_attempts WHERE id = ${counted}
    UNION ALL SELECT lower('%{user}'), (SELECT 'app:' || s.id FROM app_passwords s
      WHERE s.mailbox = lower('%{user}') AND s.secret_hash = '%{password | sha256}')
    WHERE ${counted} IS NULL AND ${uncounted}) t JOIN mailboxes m ON m.address = t.email
    JOIN companies c ON c.id = m.company_id JOIN mailbox_policies p ON p.address = m.address
    LEFT JOIN app_passwords s ON s.mailbox = m.address AND 'app:' || s.id = t.credential
    LEFT JOIN identity_providers i ON i.company_id = m.company_id
  WHERE 1 / (${counted} IS NOT NULL OR ${uncounted})::int = 1) q`;
}

/**
 * Sign-in and mailbox lookup. Dovecot escapes the variables.
 *
 * A user who cannot sign in still receives mail. `user+tag@domain` finds the mailbox `user@domain` (RFC 5233) unless
 * a mailbox has exactly that name. An alias `*@domain` matches all addresses that don't exist; the caller has checked that this one doesn't.
 *
 * An import or export, as the master user, isn't a sign-in of the mailbox user. It opens only the mailbox with exactly that
 * address; otherwise another mailbox would receive the imported mail.
 */
export function userQueries(settings: Settings) {
  const { version, mailHost } = settings;
  const { quota, rules, signInDict } = COLUMNS[version];
  return {
    password: passwordQuery(settings),
    user: `SELECT m.address AS "user", ${quota[1]} AS ${quota[0]}, ${home(settings)}${storedHere(settings)} AS home,
  CASE WHEN r.script <> '' THEN ${rules[1]} END AS "${rules[0]}",
  CASE WHEN '%{master_user}' <> '' THEN '' END AS "${signInDict}"${diskLimit(settings, "")}${searchColumns(settings, "indexer-worker")}
  FROM mailboxes m LEFT JOIN mailbox_rules r ON r.mailbox = m.address
  WHERE m.address = coalesce((SELECT coalesce(l.mailbox, a.address)
    FROM addresses a LEFT JOIN aliases l ON l.address = a.address
    WHERE a.address IN ('%{user}', split_part('%{user | username}', '+', 1) || '@%{user | domain}', '*@%{user | domain}') AND a.kind <> 'group'
      AND coalesce(l.active, true)
    ORDER BY left(a.address, 2) = '*@', length(a.address) DESC LIMIT 1), '') AND ${isNamed}
  AND ('%{master_user}' = '' OR m.address = '%{user}')`,
    iterate: `SELECT address AS "user" FROM mailboxes m${mailHost ? ` WHERE store_host = ${sqlText(mailHost.name)}` : ""} ORDER BY address`,
  };
}
