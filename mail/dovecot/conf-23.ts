import { join } from "node:path";

import { IMAP_MASTER } from "#server/gateways/dovecot-imap.ts";

import { dictMaps23 } from "./dict-conf.ts";
import { DISK_QUOTA_LIMIT, DISK_QUOTA_SOCKET } from "./disk-quota-socket.ts";
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
import { dovecotFolders } from "./folders.ts";
import { type JUNK_SCRIPTS, LEARNING_FOLDER } from "./junk/junk-scripts.ts";
import { block, connectString, quoted, variables23, withoutVariables } from "./quoting.ts";
import type { DovecotSettings } from "./settings.ts";
import { userQueries } from "./sql-conf.ts";

/** The files of the configuration for Dovecot 2.3. */
export function conf23(settings: DovecotSettings, instance: Instance): Record<string, string> {
  const { etc, mail, tmp } = dovecotFolders(settings.dataFolder);
  const connect = `connect = ${connectString(settings.databaseUrl)}\n`;
  const dicts = dictMaps23();
  const dictFiles = dicts.map(
    ([name]) => `${name} = ${quoted(`pgsql:${join(etc, `${name}.conf.ext`)}`)}`,
  );
  return {
    "dovecot.conf": dovecotConf(settings, instance, {
      head: "",
      temporaryFolder: literal(tmp),
      storage: `mail_home = ${expanded(`${withoutVariables(mail)}/%{user | domain}/%{user | username}`)}
mail_location = sdbox:~/sdbox
mail_fsync = optimized
mail_plugins = ${MAIL_PLUGINS.join(" ")}
`,
      sharedNamespace,
      signIn: signIn(settings, etc),
      plugins: block("dict", ...dictFiles) + plugins(etc) + SESSION_LIMITS + protocols,
      sieve: "",
      tls: `ssl = yes
ssl_min_protocol = TLSv1.2
ssl_cert = <tls.crt
ssl_key = <tls.key
`,
    }),
    "users.conf.ext": usersConf(settings, connect),
    ...Object.fromEntries(dicts.map(([name, maps]) => [`${name}.conf.ext`, connect + maps])),
  };
}

const expanded = (text: string) => quoted(variables23(text));
const literal = (text: string) => expanded(withoutVariables(text));

const sharedNamespace = block(
  "namespace shared",
  "type = shared",
  "disabled = yes",
  "separator = /",
  "prefix = Shared mailboxes/%%u/",
  "location = sdbox:%%h/sdbox",
  "subscriptions = no",
  "list = children",
);

function signIn({ apiKey }: DovecotSettings, etc: string): string {
  const attributes = POLICY_ATTRIBUTES.map(([name, value]) => `${name}=${variables23(value)}`);
  const users = ["driver = sql", `args = ${quoted(join(etc, "users.conf.ext"))}`];
  const master = block(
    "passdb",
    "driver = static",
    `args = password=${apiKey} allow_nets=local`,
    `username_filter = ${IMAP_MASTER}`,
    "master = yes",
  );
  return `disable_plaintext_auth = yes
auth_policy_server_timeout_msecs = 30000
auth_policy_request_attributes = ${attributes.join(" ")}
${master}${block("passdb", ...users)}${block("userdb", "driver = prefetch")}${block("userdb", ...users)}`;
}

function plugins(etc: string): string {
  const script = (name: keyof typeof JUNK_SCRIPTS) => literal(`file:${join(etc, name)}`);
  return block(
    "plugin",
    "quota = count:User quota",
    "quota_vsizes = yes",
    "quota_grace = 0",
    `quota_exceeded_message = ${QUOTA_MESSAGES.mailbox}`,
    "quota_clone_dict = proxy:dict-async:usage",
    "last_login_dict = proxy:dict-async:signins",
    "last_login_key = last-imap/%u",
    "sieve = file:~/sieve;active=~/.dovecot.sieve",
    "sieve_extensions = -enotify -reject",
    SIEVE_LIMITS,
    "sieve_quota_max_scripts = 50",
    "sieve_quota_max_storage = 1M",
    "recipient_delimiter = +",
    `sieve_pipe_socket_dir = ${LEARNING_FOLDER}`,
    PIPE_LIMITS,
    `sieve_before = ${script("junk.sieve")}`,
    "imapsieve_mailbox1_name = Junk",
    "imapsieve_mailbox1_causes = COPY",
    `imapsieve_mailbox1_before = ${script("learn-spam.sieve")}`,
    "imapsieve_mailbox2_name = *",
    "imapsieve_mailbox2_from = Junk",
    "imapsieve_mailbox2_causes = COPY",
    `imapsieve_mailbox2_before = ${script("learn-ham.sieve")}`,
  );
}

/** A second quota while free disk space is below the reserve: only for IMAP, since accepted mail must be delivered. */
const diskQuota = [
  `quota2 = dict:Disk::hidden:proxy:${DISK_QUOTA_SOCKET}:disk`,
  `quota2_rule = *:storage=${DISK_QUOTA_LIMIT}`,
  `quota_exceeded_message = ${QUOTA_MESSAGES.disk}`,
];

const protocols = [
  block(
    "protocol imap",
    `mail_plugins = $mail_plugins ${IMAP_PLUGINS.join(" ")}`,
    block(
      "plugin",
      ...diskQuota,
      // Only for IMAP: globally, each delivery would load them too.
      "sieve_plugins = sieve_imapsieve sieve_extprograms",
      "sieve_global_extensions = +vnd.dovecot.pipe +vnd.dovecot.environment",
      "acl = vfile",
      "acl_defaults_from_inbox = yes",
      "acl_shared_dict = proxy:dict-async:shares",
    ),
  ),
  block(
    "protocol pop3",
    "mail_plugins = $mail_plugins last_login",
    block("plugin", "last_login_key = last-pop3/%u"),
  ),
  block("protocol lmtp", "mail_plugins = $mail_plugins sieve"),
  block("protocol doveadm", "mail_plugins = $mail_plugins acl", block("plugin", "acl = vfile")),
].join("");

function usersConf(settings: DovecotSettings, connect: string): string {
  const { password, user, iterate } = userQueries(settings);
  const query = (text: string) => variables23(text).replaceAll("\n", " \\\n");
  return `driver = pgsql
${connect}default_pass_scheme = ARGON2ID
userdb_warning_disable = yes
password_query = ${query(password)}
user_query = ${query(user)}
iterate_query = ${query(iterate)}
`;
}
