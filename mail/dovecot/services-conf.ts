import type { DovecotSettings } from "./settings.ts";

/** Dovecot's processes and what they listen to. They all run as one user, so none may change its root folder. */
export function servicesConf({ ports, apiKey }: DovecotSettings): string {
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
