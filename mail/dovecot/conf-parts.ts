import { type Cidr, PROXY_PORT_OFFSET } from "#server/config.ts";

import { connectString } from "./quoting.ts";
import type { DovecotSettings } from "./settings.ts";

/** Services and their listeners. All run as one unprivileged user, so none can chroot. */
export function servicesConf({ ports, apiKey, proxyProtocol = [] }: DovecotSettings): string {
  const one = (name: string, port: number, options: string[]) => `  inet_listener ${name} {
${[`port = ${port}`, ...options].map((line) => `    ${line}\n`).join("")}  }
`;
  const listener = (name: string, port: number, ssl = false) => {
    const options = ssl ? ["ssl = yes"] : [];
    const direct = one(name, port, options);
    if (proxyProtocol.length === 0) return direct;
    // Dovecot expects the PROXY header on a listener from all clients or none.
    return direct + one(`${name}_proxy`, port + PROXY_PORT_OFFSET, [...options, "haproxy = yes"]);
  };
  const login = (protocol: string, listeners: string) => `service ${protocol}-login {
  chroot =
  service_count = 0
${listeners}}
`;
  const withoutChroot = ["ipc", "old-stats", "imap-urlauth-login", "submission-login"]
    .map((name) => `service ${name} {\n  chroot =\n}\n`)
    .join("");
  return `${login("imap", `  process_min_avail = 1\n${ownListener}${listener("imap", ports.imap)}${listener("imaps", ports.imaps, true)}`)}\
${login("pop3", listener("pop3", ports.pop3) + listener("pop3s", ports.pop3s, true))}\
${login("managesieve", listener("sieve", ports.sieve))}\
${withoutChroot}\
${trustedProxies(proxyProtocol)}\
# A burst of deliveries leaves dozens of processes with 2 MB each.
service lmtp {
  idle_kill = 15 secs
  unix_listener lmtp {
    mode = 0600
  }
}
# The same, but creates no folders: Pigeonhole then files into the inbox what it can't file. Otherwise, mail for a folder that
# can't be created, such as one with a name that is too long, would be deferred until its sender gives up.
service lmtp-existing {
  executable = lmtp -o lda_mailbox_autocreate=no
  protocol = lmtp
  idle_kill = 15 secs
  unix_listener lmtp-existing {
    mode = 0600
  }
}
doveadm_api_key = ${apiKey}
# Keep one ready: starting a process takes ten times as long as a request.
service doveadm {
  process_min_avail = 1
  unix_listener http {
    mode = 0600
  }
}
# Enough for Argon2id hashes with more memory than our own.
service auth {
  client_limit = 4096
  vsz_limit = 512M
}
# No penalty by IP address: wrong passwords would slow down everyone behind the same NAT.
service anvil {
  chroot =
  client_limit = 2048
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;
}

/** For the appliance itself, which signs in as the master user. */
const ownListener = `  unix_listener imap {
    mode = 0600
  }
`;

const trustedProxies = (networks: Cidr[]) =>
  networks.length === 0
    ? ""
    : `haproxy_trusted_networks = ${networks.map(([address, bits]) => `${address.toString()}/${bits}`).join(" ")}\n`;

/** Redirected mail and vacation replies go to our listener (mail/sieve), which queues them. */
export const sieveSettings = ({
  sievePort,
}: DovecotSettings) => `submission_host = 127.0.0.1:${sievePort}
managesieve_notify_capability =
`;

/**
 * Sieve can file, copy, flag, forward (`redirect`) and reply (`vacation`). It cannot send mail to senders that may
 * be forged (reject) or to arbitrary addresses (enotify).
 *
 * Up to ten redirects per message: five of `/account`, and some of the mailbox user's own script. The mailbox is
 * the envelope sender, so that it receives bounces.
 */
export const sievePlugin = `  sieve = file:~/sieve;active=~/.dovecot.sieve
  sieve_extensions = -enotify -reject
  sieve_max_redirects = 10
  sieve_redirect_envelope_from = user_email
  sieve_vacation_min_period = 1d
  sieve_vacation_default_period = 7d
  sieve_vacation_send_from_recipient = yes
  sieve_quota_max_scripts = 50
  sieve_quota_max_storage = 1M
  recipient_delimiter = +
`;

type Settings = Pick<DovecotSettings, "databaseUrl">;

/** Where the quota_clone plugin writes the usage of a mailbox. */
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

/** Where the last_login plugin writes the times of the last sign-ins. */
export function signInsConf({ databaseUrl }: Settings): string {
  const column = (protocol: string, name: string) => `map {
  pattern = shared/last-${protocol}/$user
  table = mailbox_sign_ins
  value_field = ${name}
  value_type = uint
  fields {
    address = $user
  }
}
`;
  return `connect = ${connectString(databaseUrl, 4)}
${column("imap", "last_sign_in")}${column("pop3", "last_pop3")}`;
}

/** Where Dovecot reads the rules set at `/account`. The script ID tells it when its compiled script is outdated. */
export function rulesConf({ databaseUrl }: Settings): string {
  const column = (pattern: string, name: string, fields = "") => `map {
  pattern = priv/sieve/${pattern}
  table = mailbox_rules
  username_field = mailbox
  value_field = ${name}
${fields}}
`;
  return `connect = ${connectString(databaseUrl, 4)}
${column("name/rules", "script_id")}${column("data/$id", "script", "  fields {\n    script_id = $id\n  }\n")}`;
}
