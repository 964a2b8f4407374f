import { join } from "node:path";

import { dovecotFolders } from "./folders.ts";
import { quoted, withoutVariables } from "./quoting.ts";
import type { DovecotSettings } from "./settings.ts";

/**
 * The main configuration, for Dovecot 2.3.
 *
 * @param user everything runs as this one unprivileged user, so no service may change its root folder
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
    tls,
    services(settings),
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
listen = ${bind}
hostname = ${hostname}
postmaster_address = postmaster@${hostname}
login_greeting = ${hostname} ready
verbose_proctitle = yes
default_internal_user = ${user}
default_internal_group = ${user}
default_login_user = ${user}
mail_uid = ${user}
mail_gid = ${user}
first_valid_uid = 1
first_valid_gid = 1
`;
}

/** sdbox: one file a message, and an index that stays quick in large mailboxes. Synced to disk before LMTP's 250. */
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
mail_plugins = quota quota_clone
# user+tag is resolved by the user query.
recipient_delimiter =
lda_mailbox_autocreate = yes
lda_mailbox_autosubscribe = yes
lmtp_rcpt_check_quota = yes
lmtp_save_to_detail_mailbox = no
namespace inbox {
  inbox = yes
  separator = /
${mailbox("Drafts")}${mailbox("Sent")}${mailbox("Junk")}${mailbox("Trash")}${mailbox("Archive", "no")}}
`;
}

function signIn({ dataFolder, failureDelaySeconds }: DovecotSettings): string {
  const users = quoted(join(dovecotFolders(dataFolder).etc, "users.conf.ext"));
  return `auth_mechanisms = plain login
auth_username_chars =
auth_cache_size = 0
auth_failure_delay = ${failureDelaySeconds} secs
disable_plaintext_auth = yes
passdb {
  driver = sql
  args = ${users}
}
userdb {
  driver = prefetch
}
userdb {
  driver = sql
  args = ${users}
}
`;
}

/** Sieve may file, copy and flag. It may not send (vacation, redirect, reject): mail leaves by the outbox only. */
function plugins({ dataFolder }: DovecotSettings): string {
  const { etc } = dovecotFolders(dataFolder);
  return `dict {
  usage = ${quoted(`pgsql:${join(etc, "usage.conf.ext")}`)}
  signins = ${quoted(`pgsql:${join(etc, "sign-ins.conf.ext")}`)}
}
plugin {
  quota = count:User quota
  quota_vsizes = yes
  quota_grace = 0
  quota_exceeded_message = Mailbox is full
  quota_clone_dict = proxy:dict-async:usage
  last_login_dict = proxy:dict-async:signins
  last_login_key = last-login/%u
  sieve = file:~/sieve;active=~/.dovecot.sieve
  sieve_extensions = -vacation -enotify -reject
  sieve_max_redirects = 0
  recipient_delimiter = +
}
protocol imap {
  mail_plugins = $mail_plugins imap_quota last_login
  mail_max_userip_connections = 50
}
protocol pop3 {
  mail_plugins = $mail_plugins last_login
}
protocol lmtp {
  mail_plugins = $mail_plugins sieve
}
`;
}

/** The files lie beside this one. */
const tls = `ssl = yes
ssl_min_protocol = TLSv1.2
ssl_cert = <tls.crt
ssl_key = <tls.key
`;

function services({ ports, apiKey }: DovecotSettings): string {
  const listener = (name: string, port: number, ssl = false) => `  inet_listener ${name} {
    port = ${port}${ssl ? "\n    ssl = yes" : ""}
  }
`;
  const login = (protocol: string, listeners: string) => `service ${protocol}-login {
  chroot =
  service_count = 0
${listeners}}
`;
  const withoutChroot = ["ipc", "old-stats", "imap-urlauth-login", "submission-login"]
    .map((name) => `service ${name} {\n  chroot =\n}\n`)
    .join("");
  return `${login("imap", `  process_min_avail = 1\n${listener("imap", ports.imap)}${listener("imaps", ports.imaps, true)}`)}\
${login("pop3", listener("pop3", ports.pop3) + listener("pop3s", ports.pop3s, true))}\
${login("managesieve", listener("sieve", ports.sieve))}\
${withoutChroot}\
service lmtp {
  unix_listener lmtp {
    mode = 0600
  }
}
doveadm_api_key = ${apiKey}
# One waits for the next question: starting a process takes ten times as long as an answer.
service doveadm {
  process_min_avail = 1
  unix_listener http {
    mode = 0600
  }
}
# Room for Argon2id with more memory than ours asks for.
service auth {
  client_limit = 4096
  vsz_limit = 512M
}
# No penalty by address: behind one NAT a stranger's wrong passwords would slow everybody.
service anvil {
  chroot =
  client_limit = 2048
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;
}
