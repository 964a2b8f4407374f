import { dovecotFolders } from "./folders.ts";
import { HOSTS_CONF, NAMES_CONF } from "./hosts-conf.ts";
import { block, quoted } from "./quoting.ts";
import { servicesConf } from "./services-conf.ts";
import type { DovecotSettings } from "./settings.ts";

/** Where Dovecot runs: its user, which is unprivileged and so can't chroot, and the folder for its sockets, whose path must be short. */
export type Instance = { user: string; baseFolder: string };

/** What differs between the versions of Dovecot. */
type Parts = {
  head: string;
  temporaryFolder: string;
  /** Where mail is stored, and plugins of all sessions. */
  storage: string;
  sharedNamespace: string;
  signIn: string;
  /** Dicts, quotas and what the protocols load. */
  plugins: string;
  sieve: string;
  tls: string;
};

/** The main configuration file. */
export function dovecotConf(settings: DovecotSettings, instance: Instance, parts: Parts): string {
  return [
    parts.head + instanceConf(settings, instance, parts),
    parts.storage + storage + parts.sharedNamespace,
    signIn(settings) + parts.signIn,
    parts.plugins,
    // Redirected mail and vacation replies go to our listener (mail/sieve), which queues them.
    `submission_host = 127.0.0.1:${settings.sievePort}\nmanagesieve_notify_capability =\n${parts.sieve}`,
    `${parts.tls}!include_try ${NAMES_CONF}\n!include_try ${HOSTS_CONF}\n`,
    servicesConf(settings),
  ].join("\n");
}

const instanceConf = (
  { dataFolder, hostname, bind }: DovecotSettings,
  { user, baseFolder }: Instance,
  { temporaryFolder }: Parts,
) => `base_dir = ${quoted(baseFolder)}
state_dir = ${quoted(dovecotFolders(dataFolder).state)}
mail_temp_dir = ${temporaryFolder}
log_path = /dev/stderr
# Several lines for each session and delivery, with addresses.
info_log_path = /dev/null
log_timestamp = ""
protocols = imap pop3 lmtp sieve
listen = ${bind === "::" ? "*, ::" : bind}
hostname = ${hostname}
postmaster_address = postmaster@${hostname}
login_greeting = ${hostname} ready
verbose_proctitle = yes
# By default, a reload, as for each renewed certificate, ends all sessions a minute later.
shutdown_clients = no
default_internal_user = ${user}
default_internal_group = ${user}
default_login_user = ${user}
mail_uid = ${user}
mail_gid = ${user}
first_valid_uid = 1
first_valid_gid = 1
`;

const mailbox = (name: string, auto = "subscribe") =>
  block(`mailbox ${name}`, `auto = ${auto}`, `special_use = \\${name}`);

const storage = `# user+tag is resolved by the user query.
recipient_delimiter =
lda_mailbox_autocreate = yes
lda_mailbox_autosubscribe = yes
# Check at RCPT: at DATA, the rules of a full mailbox would forward the message again with each retry.
lmtp_rcpt_check_quota = yes
# Tempfail a full mailbox, so that senders and our own queue retry.
quota_full_tempfail = yes
lmtp_save_to_detail_mailbox = no
${block(
  "namespace inbox",
  "inbox = yes",
  "separator = /",
  ...["Drafts", "Sent", "Junk", "Trash"].map((name) => mailbox(name)),
  mailbox("Archive", "no"),
)}`;

/**
 * The policy server (mail/policy) counts every attempt by client address, so no client may set a different one (no
 * `login_trusted_networks`). If it doesn't answer, Dovecot goes on to the password query, which then fails temporarily
 * (`passwordQuery`). With `auth_policy_reject_on_fail`, mail apps would ask their users for the password instead.
 */
const signIn = ({ failureDelaySeconds, policy }: DovecotSettings) => `auth_mechanisms = plain login
auth_username_chars =
auth_cache_size = 0
auth_failure_delay = ${failureDelaySeconds} secs
auth_policy_server_url = http://127.0.0.1:${policy.port}/
auth_policy_server_api_header = Authorization: Bearer ${policy.key}
auth_policy_hash_nonce = ${policy.id}
auth_policy_check_after_auth = no
`;

/** What Dovecot sends to the policy server with each attempt. */
export const POLICY_ATTRIBUTES = Object.entries({
  login: "%{requested_username}",
  password: "%{password}",
  remote: "%{remote_ip | default('')}",
  protocol: "%{protocol}",
  session: "%{session}",
  credential: "%{passdb:login_credential | default('')}",
}).map(([name, value]) => [name, value] as const);

export const SESSION_LIMITS = `# Per user and IP address.
mail_max_userip_connections = 50
# No hibernation: doveadm can end hibernated sessions only all at once, and does not list all of them.
# A system user has 128 inotify instances by default. Sessions beyond those poll at this interval.
mailbox_idle_check_interval = 10 secs
`;

/** Plugins of all sessions, and of IMAP sessions. */
export const MAIL_PLUGINS = ["quota", "quota_clone"];
export const IMAP_PLUGINS = ["imap_quota", "imap_sieve", "last_login"];

/**
 * Sieve can file, copy, flag, forward (`redirect`) and reply (`vacation`). It cannot send mail to senders that may
 * be forged (reject) or to arbitrary addresses (enotify).
 *
 * Up to ten redirects per message: five of `/account`, and some of the mailbox user's own script. The mailbox is
 * the envelope sender, so that it receives bounces.
 */
export const SIEVE_LIMITS = `sieve_max_redirects = 10
sieve_redirect_envelope_from = user_email
sieve_vacation_min_period = 1d
sieve_vacation_default_period = 7d
sieve_vacation_send_from_recipient = yes
`;

/** How our own scripts reach a socket (junk/learning-socket.ts), below `sieve_pipe_socket_dir`. */
export const PIPE_LIMITS = `sieve_pipe_exec_timeout = 5s
sieve_pipe_input_eol = crlf
`;

export const QUOTA_MESSAGES = {
  mailbox: "Mailbox is full",
  disk: "The mailbox or the server's disk is full",
};
