import { type Cidr, PROXY_PORT_OFFSET } from "#server/config.ts";

import { block } from "./quoting.ts";
import type { DovecotSettings } from "./settings.ts";

/** Names of settings. */
const NAMES = {
  "2.3": {
    requests: "service_count",
    forever: "service_count = 0",
    idle: "idle_kill",
    oldServices: ["ipc", "old-stats"],
  },
  "2.4": {
    requests: "restart_request_count",
    forever: "restart_request_count = unlimited",
    idle: "idle_kill_interval",
    oldServices: [],
  },
};

/** Services and their listeners. All run as one unprivileged user, so none can chroot. */
export function servicesConf({
  version,
  ports,
  apiKey,
  proxyProtocol = [],
}: DovecotSettings): string {
  const { requests, forever, idle, oldServices } = NAMES[version];
  const listener = (name: string, port: number, ssl = false) => {
    const options = [ssl && "ssl = yes"];
    const direct = block(`inet_listener ${name}`, `port = ${port}`, ...options);
    if (proxyProtocol.length === 0) return direct;
    // Dovecot expects the PROXY header on a listener from all clients or none.
    const head = `inet_listener ${name}_proxy`;
    const proxyPort = `port = ${port + PROXY_PORT_OFFSET}`;
    return direct + block(head, proxyPort, ...options, "haproxy = yes");
  };
  const login = (protocol: string, ...lines: string[]) =>
    block(`service ${protocol}-login`, "chroot =", forever, ...lines);
  return [
    login(
      "imap",
      "process_min_avail = 1",
      // For the appliance itself, which signs in as the master user.
      ownSocket("imap"),
      listener("imap", ports.imap),
      listener("imaps", ports.imaps, true),
    ),
    login("pop3", listener("pop3", ports.pop3), listener("pop3s", ports.pop3s, true)),
    login("managesieve", listener("sieve", ports.sieve)),
    ...[...oldServices, "imap-urlauth-login", "submission-login"].map((name) =>
      block(`service ${name}`, "chroot ="),
    ),
    trustedProxies(proxyProtocol),
    "# A burst of deliveries leaves dozens of processes with 2 MB each.\n",
    block("service lmtp", version === "2.4" && forever, `${idle} = 15 secs`, ownSocket("lmtp")),
    `# The same, but creates no folders: Pigeonhole then files into the inbox what it can't file. Otherwise, mail for a folder that
# can't be created, such as one with a name that is too long, would be deferred until its sender gives up.
`,
    block(
      "service lmtp-existing",
      "executable = lmtp -o lda_mailbox_autocreate=no",
      "protocol = lmtp",
      version === "2.4" && forever,
      `${idle} = 15 secs`,
      ownSocket("lmtp-existing"),
    ),
    `doveadm_api_key = ${apiKey}\n`,
    `# Keep one ready: starting a process takes ten times as long as a request. A new one about every minute shows whether Dovecot can
# still start processes (watch-health.ts).
`,
    block("service doveadm", "process_min_avail = 1", `${requests} = 20`, ownSocket("http")),
    "# Each holds connections to the database.\n",
    ...["dict", "dict-async"].map((name) => block(`service ${name}`, `${idle} = 15 secs`)),
    "# Enough for Argon2id hashes with more memory than our own.\n",
    block("service auth", "client_limit = 4096", "vsz_limit = 512M"),
    "# No penalty by IP address: wrong passwords would slow down everyone behind the same NAT.\n",
    block(
      "service anvil",
      version === "2.3" && "chroot =",
      "client_limit = 2048",
      block("unix_listener anvil-auth-penalty", "mode = 0"),
    ),
  ].join("");
}

const ownSocket = (name: string) => block(`unix_listener ${name}`, "mode = 0600");

const trustedProxies = (networks: Cidr[]) =>
  networks.length === 0
    ? ""
    : `haproxy_trusted_networks = ${networks.map(([address, bits]) => `${address.toString()}/${bits}`).join(" ")}\n`;
