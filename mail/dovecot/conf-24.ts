import { join } from "node:path";

import { IMAP_MASTER } from "#server/gateways/dovecot-imap.ts";

import { dictServer24 } from "./dict-conf.ts";
import {
  dovecotConf,
  IMAP_PLUGINS,
  type Instance,
  MAIL_PLUGINS,
  PIPE_LIMITS,
  POLICY_ATTRIBUTES,
  QUOTA_MESSAGES,
  SESSION_LIMITS,
  SIEVE_LIMITS,
} from "./dovecot-conf.ts";
import { SEARCH_CONF } from "./search-indexes.ts";
import { dovecotFolders } from "./folders.ts";
import { type JUNK_SCRIPTS, LEARNING_FOLDER } from "./junk/junk-scripts.ts";
import { block, connectBlock, quoted, withoutVariables } from "./quoting.ts";
import type { DovecotSettings } from "./settings.ts";
import { userQueries } from "./sql-conf.ts";

/** The file of the configuration for Dovecot 2.4. */
export function conf24(settings: DovecotSettings, instance: Instance): Record<string, string> {
  const { etc, mail, tmp } = dovecotFolders(settings.dataFolder);
  return {
    "dovecot.conf": dovecotConf(settings, instance, {
      // Keeps stores readable by 2.3, in case the host goes back to it.
      head: `dovecot_config_version = 2.4.1
dovecot_storage_version = 2.3.19
${block("import_environment", `DOVECOT_HOSTNAME = ${settings.hostname}`)}`,
      temporaryFolder: literal(tmp),
      storage: `mail_home = ${quoted(`${withoutVariables(mail)}/%{user | domain}/%{user | username}`)}
mail_driver = sdbox
mail_path = ~/sdbox
mail_fsync = optimized
lmtp_user_concurrency_limit = unlimited
${mailPlugins(MAIL_PLUGINS)}`,
      sharedNamespace,
      signIn: signIn(settings),
      plugins:
        dictServer24() +
        quotas +
        signInTimes +
        "acl_driver = vfile\n" +
        SESSION_LIMITS +
        protocols +
        (settings.hasSearch ? SEARCH_CONF : ""),
      sieve: sieve((name) => literal(join(etc, name))),
      // `yes` would let clients behind a proxy sign in without TLS.
      tls: `ssl = required
ssl_min_protocol = TLSv1.2
ssl_server_cert_file = tls.crt
ssl_server_key_file = tls.key
`,
    }),
  };
}

const literal = (text: string) => quoted(withoutVariables(text));

const yes = (names: string[]) => names.map((name) => `${name} = yes`);
const mailPlugins = (names: string[]) => block("mail_plugins", ...yes(names));

const sharedNamespace = block(
  "namespace shared",
  "type = shared",
  "disabled = yes",
  "separator = /",
  "prefix = Shared mailboxes/$user/",
  "mail_driver = sdbox",
  "mail_path = %{owner_home}/sdbox",
  "subscriptions = no",
  "list = children",
);

function signIn(settings: DovecotSettings): string {
  const { password, user, iterate } = userQueries(settings);
  const query = (text: string) => quoted(text.replace(/\s*\n\s*/g, " "));
  return [
    "auth_allow_cleartext = no\n",
    block("auth_policy", "http_client_request_absolute_timeout = 30s"),
    // Removes the default attributes.
    "auth_policy_request_attributes =\n",
    block(
      "auth_policy_request_attributes",
      ...POLICY_ATTRIBUTES.map(([name, value]) => `${name} = ${value}`),
    ),
    connectBlock(settings.databaseUrl),
    block(
      "passdb master",
      "driver = static",
      "master = yes",
      `username_filter = ${IMAP_MASTER}`,
      `static_password = ${settings.apiKey}`,
      block("fields", "allow_nets = local"),
    ),
    block(
      "passdb users",
      "driver = sql",
      "default_password_scheme = ARGON2ID",
      `sql_query = ${query(password)}`,
    ),
    block("userdb prefetch", "driver = prefetch"),
    block(
      "userdb users",
      "driver = sql",
      `sql_query = ${query(user)}`,
      `sql_iterate_query = ${query(iterate)}`,
    ),
  ].join("");
}

const dict = (name: string) => block("dict proxy", `name = ${name}`, "socket_path = dict-async");

const quotas = `quota_storage_grace = 0
quota_exceeded_message = ${QUOTA_MESSAGES.mailbox}
${block('quota "User quota"')}${block("quota_clone", dict("usage"))}`;

const signInTimes = `${block("last_login", dict("signins"))}last_login_key = last-imap/%{user}
`;

const protocols = [
  block(
    "protocol imap",
    // Compression costs memory and CPU time. 2.3 doesn't offer it by default.
    block("imap_capability", '"COMPRESS=DEFLATE" = no'),
    mailPlugins(IMAP_PLUGINS),
    // The user query sets a limit while free disk space is below the reserve (sql-conf.ts). Unlike in 2.3, moves count, so
    // without the exception for Trash, mail apps couldn't delete messages.
    block("quota Disk", "hidden = yes"),
    block("mailbox Trash", block("quota Disk", "ignore = yes")),
    `quota_exceeded_message = ${QUOTA_MESSAGES.disk}`,
    // Only for IMAP: globally, each delivery would load them too.
    block("sieve_plugins", ...yes(["sieve_imapsieve", "sieve_extprograms"])),
    block("sieve_global_extensions", ...yes(["vnd.dovecot.pipe", "vnd.dovecot.environment"])),
    "acl_defaults_from_inbox = yes",
    block("acl_sharing_map", dict("shares")),
  ),
  block("protocol pop3", mailPlugins(["last_login"]), "last_login_key = last-pop3/%{user}"),
  block("protocol lmtp", mailPlugins(["sieve"])),
  block("protocol doveadm", mailPlugins(["acl"])),
].join("");

const sieve = (script: (name: keyof typeof JUNK_SCRIPTS) => string) =>
  [
    block("sieve_script personal", "path = ~/sieve", "active_path = ~/.dovecot.sieve"),
    block("sieve_script junk", "type = before", `path = ${script("junk.sieve")}`),
    // The user query changes the type to `before` if there are rules.
    block(
      "sieve_script rules",
      "type = global",
      "driver = dict",
      "name = rules",
      "bin_path = ~/rules",
      dict("rules"),
    ),
    block("sieve_extensions", "enotify = no", "reject = no"),
    SIEVE_LIMITS,
    // 2.3 has no maximum.
    "sieve_vacation_max_period = unlimited\n",
    "sieve_quota_script_count = 50\n",
    "sieve_quota_storage_size = 1M\n",
    block("sieve_env_location_mda", "recipient_delimiter = +"),
    `sieve_pipe_socket_dir = ${LEARNING_FOLDER}\n`,
    PIPE_LIMITS,
    ...[["mailbox", "learn-spam"] as const, ["imapsieve_from", "learn-ham"] as const].map(
      ([from, name]) =>
        block(
          `${from} Junk`,
          block(
            `sieve_script ${name}`,
            "type = before",
            "cause = copy",
            `path = ${script(`${name}.sieve`)}`,
          ),
        ),
    ),
  ].join("");
