import { type Cidr, PROXY_PORT_OFFSET } from "#server/config.ts";

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
