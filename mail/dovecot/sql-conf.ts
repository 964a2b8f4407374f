import { hostname } from "node:os";

import { lockNumber } from "#server/db/advisory-locks.ts";

import { dovecotFolders } from "./folders.ts";
import { proxyColumns } from "./hosts-conf.ts";
import { connectString, sqlText } from "./quoting.ts";
import { shareColumns, shareGroups } from "./shares-conf.ts";
import type { DovecotSettings } from "./settings.ts";

type Settings = Pick<
  DovecotSettings,
  "baseUrl" | "databaseUrl" | "dataFolder" | "mailHost" | "policy"
> & {
  ports: Pick<DovecotSettings["ports"], "imaps" | "pop3s" | "sieve">;
};

/**
 * Without a connection, Dovecot cannot escape the user name: it inserts an empty string and runs the query once
 * connected. Every user would be unknown, and mail rejected permanently. A division by zero turns that into a
 * temporary database error.
 */
const isNamed = "length('%u') / length('%u') = 1";

const quotaRule = `'*:storage=' || m.quota_mb || 'M'`;

/** Where Dovecot keeps compiled rules. */
const RULES = "dict:proxy:dict-async:rules;name=rules;bindir=~/rules";

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
const signsInWithProvider = `(${providerRequired} OR coalesce(i.allows_mailboxes, false) \
      AND EXISTS (SELECT FROM mailbox_identities n WHERE n.mailbox = m.address AND n.provider_id = i.id))`;

/** `%s` is the protocol: imap, pop3 or sieve. */
const isProtocolAllowed =
  "CASE '%s' WHEN 'imap' THEN p.imap_allowed WHEN 'pop3' THEN p.pop3_allowed \\\n" +
  "    ELSE p.imap_allowed OR p.pop3_allowed END";

/** While free disk space is below the reserve, a ManageSieve session may store one byte, so no script. */
const sieveLimit = `CASE WHEN '%s' = 'sieve' AND EXISTS (SELECT FROM processes \
    WHERE host = ${sqlText(hostname())} AND role = 'mail' AND alive_until > now() \
      AND (facts ->> 'isDiskLow')::boolean) THEN '1' END AS userdb_sieve_max_script_size`;

/**
 * Finds the attempt that the policy server has just counted, and by it the mailbox, so that names mean the same as with SMTP
 * and at `/account`. If it didn't answer in time, a division by zero makes the sign-in fail temporarily: an earlier attempt of
 * the session is then too old. While Postgres is out of space, the policy server counts in memory (`uncountedSignIns`).
 *
 * Reasons have the wording and order of `requireSignInAllowed` (server/core/mailboxes/sign-in) and are shown only after the
 * right password.
 */
function passwordQuery(settings: Settings): string {
  const { baseUrl, policy } = settings;
  const appPassword = `Use an app password: ${baseUrl}/account`;
  const newPassword = `Set a new password first: ${baseUrl}/account`;
  const withFactor = `Two-factor authentication is on. ${appPassword}`;
  const withProvider = `Your company requires single sign-on. ${appPassword}`;
  const isApp = "coalesce(t.credential LIKE 'app:%%', false)";
  // Without stored attempts, app passwords must be typed exactly as they were shown.
  const uncounted = `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted \
    AND (classid::bigint << 32 | objid::bigint) = ${lockNumber("uncountedSignIns")} \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
  const counted = `(SELECT max(id) FROM sign_in_attempts WHERE check_key = '${policy.id}/%{session}' \
    AND created_at > clock_timestamp() - interval '20 seconds')`;
  return `password_query = SELECT q.*, CASE WHEN reason IS NOT NULL THEN 'y' END AS nologin${proxyColumns(settings)}${shareColumns} FROM ( \
  SELECT m.address AS "user", coalesce(t.credential, 'main') AS login_credential, \
  CASE WHEN t.credential IS NULL THEN '{ARGON2ID}' || m.password_hash END AS password, \
  CASE WHEN t.credential IS NOT NULL THEN 'y' END AS nopassword, \
  CASE WHEN m.suspended_at IS NOT NULL OR c.suspended_at IS NOT NULL THEN 'This mailbox is suspended.' \
    WHEN NOT ${isApp} AND ${providerRequired} THEN ${sqlText(withProvider)} \
    WHEN m.force_password_change AND NOT (${isApp} AND ${signsInWithProvider}) THEN ${sqlText(newPassword)} \
    WHEN NOT ${isProtocolAllowed} THEN 'Your company does not allow this protocol.' \
    WHEN ${isApp} AND NOT p.app_passwords_allowed THEN 'Your company does not allow app passwords.' \
    WHEN NOT ${isApp} AND ${hasFactor} AND p.app_passwords_allowed THEN ${sqlText(withFactor)} END AS reason, \
  ${quotaRule} AS userdb_quota_rule, ${home(settings)} AS userdb_home, \
  ${shareGroups}, ${sieveLimit}${peerColumn(settings)} \
  FROM (SELECT email, credential FROM sign_in_attempts WHERE id = ${counted} \
    UNION ALL SELECT lower('%u'), (SELECT 'app:' || s.id FROM app_passwords s \
      WHERE s.mailbox = lower('%u') AND s.secret_hash = '%{sha256:password}') \
    WHERE ${counted} IS NULL AND ${uncounted}) t JOIN mailboxes m ON m.address = t.email \
    JOIN companies c ON c.id = m.company_id JOIN mailbox_policies p ON p.address = m.address \
    LEFT JOIN identity_providers i ON i.company_id = m.company_id \
  WHERE 1 / (${counted} IS NOT NULL OR ${uncounted})::int = 1) q`;
}

/**
 * Sign-in and mailbox lookup. Dovecot escapes `%u` (the whole user name), `%n` and `%d` (its parts).
 *
 * A user who cannot sign in still receives mail. `user+tag@domain` finds the mailbox `user@domain` (RFC 5233) unless
 * a mailbox has exactly that name. An alias `*@domain` matches all addresses that don't exist; the caller has checked that this one doesn't.
 *
 * An import or export, as the master user, isn't a sign-in of the mailbox user. It opens only the mailbox with exactly that
 * address; otherwise another mailbox would receive the imported mail.
 */
export function usersConf(settings: Settings): string {
  return `driver = pgsql
connect = ${connectString(settings.databaseUrl, 4)}
default_pass_scheme = ARGON2ID
userdb_warning_disable = yes
${passwordQuery(settings)}
user_query = SELECT m.address AS "user", ${quotaRule} AS quota_rule, ${home(settings)}${storedHere(settings)} AS home, \
  CASE WHEN r.script <> '' THEN ${sqlText(RULES)} END AS sieve_before2, \
  CASE WHEN '%{master_user}' <> '' THEN '' END AS last_login_dict \
  FROM mailboxes m LEFT JOIN mailbox_rules r ON r.mailbox = m.address \
  WHERE m.address = coalesce((SELECT coalesce(l.mailbox, a.address) \
    FROM addresses a LEFT JOIN aliases l ON l.address = a.address \
    WHERE a.address IN ('%u', split_part('%n', '+', 1) || '@%d', '*@%d') AND a.kind <> 'group' \
      AND coalesce(l.active, true) \
    ORDER BY left(a.address, 2) = '*@', length(a.address) DESC LIMIT 1), '') AND ${isNamed} \
  AND ('%{master_user}' = '' OR m.address = '%u')
iterate_query = SELECT address AS "user" FROM mailboxes m${settings.mailHost ? ` WHERE store_host = ${sqlText(settings.mailHost.name)}` : ""} ORDER BY address
`;
}
