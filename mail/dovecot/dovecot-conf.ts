import { join } from "node:path";

import { IMAP_MASTER } from "#server/gateways/dovecot-imap.ts";

import { diskQuotaPlugin } from "./disk-quota-socket.ts";
import { dovecotFolders } from "./folders.ts";
import { HOSTS_CONF, NAMES_CONF } from "./hosts-conf.ts";
import { junkPlugin } from "./junk/junk-conf.ts";
import { quoted, withoutVariables } from "./quoting.ts";
import { servicesConf, sievePlugin, sieveSettings } from "./conf-parts.ts";
import type { DovecotSettings } from "./settings.ts";
import { IMAP_PLUGINS, MAIL_PLUGINS, sharedNamespace, sharesPlugin } from "./shares-conf.ts";

/**
 * The main configuration for Dovecot 2.3.
 *
 * @param user runs all services; being unprivileged, none of them can chroot
 * @param baseFolder for sockets; its path must be short
 */
export function dovecotConf(
  settings: DovecotSettings,
  { user, baseFolder }: { user: string; baseFolder: string },
): string {
  return [
    instance(settings, { user, baseFolder }),
    storage(settings),
    signIn(settings),
    plugins(settings),
    sieveSettings(settings),
    tls,
    servicesConf(settings),
  ].join("\n");
}

function instance(
  { dataFolder, hostname, bind }: DovecotSettings,
  { user, baseFolder }: { user: string; baseFolder: string },
): string {
  const { state, tmp } = dovecotFolders(dataFolder);
  return `base_dir = ${quoted(baseFolder)}
state_dir = ${quoted(state)}
mail_temp_dir = ${quoted(withoutVariables(tmp))}
log_path = /dev/stderr
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
}

/** sdbox: one file per message, with an index that stays fast in large mailboxes. Synced to disk before LMTP replies 250. */
function storage({ dataFolder }: DovecotSettings): string {
  const mailbox = (name: string, auto = "subscribe") => `  mailbox ${name} {
    auto = ${auto}
    special_use = \\${name}
  }
`;
  const { mail } = dovecotFolders(dataFolder);
  return `mail_home = ${quoted(`${withoutVariables(mail)}/%d/%n`)}
mail_location = sdbox:~/sdbox
mail_fsync = optimized
mail_plugins = ${MAIL_PLUGINS}
# user+tag is resolved by the user query.
recipient_delimiter =
lda_mailbox_autocreate = yes
lda_mailbox_autosubscribe = yes
lmtp_rcpt_check_quota = yes
# Tempfail a full mailbox, so that senders and our own queue retry.
quota_full_tempfail = yes
lmtp_save_to_detail_mailbox = no
namespace inbox {
  inbox = yes
  separator = /
${mailbox("Drafts")}${mailbox("Sent")}${mailbox("Junk")}${mailbox("Trash")}${mailbox("Archive", "no")}}
${sharedNamespace}`;
}

/**
 * The policy server (mail/policy) counts every attempt by client address, so no client may set a different one (no
 * `login_trusted_networks`). If it doesn't answer, Dovecot goes on to the password query, which then fails temporarily
 * (`passwordQuery`). With `auth_policy_reject_on_fail`, mail apps would ask their users for the password instead.
 */
function signIn({ dataFolder, failureDelaySeconds, policy, apiKey }: DovecotSettings): string {
  const { etc } = dovecotFolders(dataFolder);
  return `auth_mechanisms = plain login
auth_username_chars =
auth_cache_size = 0
auth_failure_delay = ${failureDelaySeconds} secs
disable_plaintext_auth = yes
auth_policy_server_url = http://127.0.0.1:${policy.port}/
auth_policy_server_api_header = Authorization: Bearer ${policy.key}
auth_policy_server_timeout_msecs = 30000
auth_policy_hash_nonce = ${policy.id}
auth_policy_check_after_auth = no
auth_policy_request_attributes = login=%{requested_username} password=%{password} remote=%{rip} \
  protocol=%s session=%{session} credential=%{passdb:login_credential}
${masterUser(apiKey)}passdb {
  driver = sql
  args = ${quoted(join(etc, "users.conf.ext"))}
}
userdb {
  driver = prefetch
}
userdb {
  driver = sql
  args = ${quoted(join(etc, "users.conf.ext"))}
}
`;
}

/** The appliance opens any mailbox as this user, for imports: only on a socket in its data folder (`local`). */
const masterUser = (apiKey: string) => `passdb {
  driver = static
  args = password=${apiKey} allow_nets=local
  username_filter = ${IMAP_MASTER}
  master = yes
}
`;

function plugins({ dataFolder }: DovecotSettings): string {
  const { etc } = dovecotFolders(dataFolder);
  return `dict {
  usage = ${quoted(`pgsql:${join(etc, "usage.conf.ext")}`)}
  signins = ${quoted(`pgsql:${join(etc, "sign-ins.conf.ext")}`)}
  rules = ${quoted(`pgsql:${join(etc, "rules.conf.ext")}`)}
  shares = ${quoted(`pgsql:${join(etc, "shares.conf.ext")}`)}
}
plugin {
  quota = count:User quota
  quota_vsizes = yes
  quota_grace = 0
  quota_exceeded_message = Mailbox is full
  quota_clone_dict = proxy:dict-async:usage
  last_login_dict = proxy:dict-async:signins
  last_login_key = last-imap/%u
${sievePlugin}${junkPlugin({ dataFolder })}}
# Per user and IP address.
mail_max_userip_connections = 50
# No hibernation: doveadm can end hibernated sessions only all at once, and does not list all of them.
# A system user has 128 inotify instances by default. Sessions beyond those poll at this interval.
mailbox_idle_check_interval = 10 secs
protocol imap {
  mail_plugins = $mail_plugins ${IMAP_PLUGINS}
  plugin {
${diskQuotaPlugin}${sharesPlugin}  }
}
protocol pop3 {
  mail_plugins = $mail_plugins last_login
  plugin {
    last_login_key = last-pop3/%u
  }
}
protocol lmtp {
  mail_plugins = $mail_plugins sieve
}
protocol doveadm {
  mail_plugins = $mail_plugins acl
  plugin {
    acl = vfile
  }
}
`;
}

/** Relative to the main configuration file. */
const tls = `ssl = yes
ssl_min_protocol = TLSv1.2
ssl_cert = <tls.crt
ssl_key = <tls.key
!include_try ${NAMES_CONF}
!include_try ${HOSTS_CONF}
`;
