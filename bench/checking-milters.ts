// cspell:ignore authserv publicsuffix
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { freePort } from "#server/processes/ports.ts";

import { type Command, untilListening } from "./postfix-peer.ts";
import { children } from "./start-child.ts";

/** Debian's packages for the checks, each with a file that it installs. */
const PROGRAMS = {
  opendkim: "/usr/sbin/opendkim",
  opendmarc: "/usr/sbin/opendmarc",
  "postfix-policyd-spf-python": "/usr/bin/policyd-spf",
};

/**
 * Starts OpenDKIM and OpenDMARC, and prepares an SPF policy daemon for Postfix to start. They check the mail of all clients, even
 * on loopback, and reject what fails.
 *
 * @param dnsAddress the address of a name server on port 53, which they and Postfix use instead of the system's
 * @returns what `startPostfix` needs to use them
 */
export async function startCheckingMilters({
  folder,
  dnsAddress,
}: {
  folder: string;
  dnsAddress: string;
}) {
  const missing = Object.entries(PROGRAMS).filter(([, file]) => !existsSync(file));
  if (missing.length > 0)
    throw new Error(`Needs apt-get install ${missing.map(([name]) => name).join(" ")}`);
  await mkdir(folder, { recursive: true });
  const file = async (name: string, lines: string[]) => {
    await writeFile(join(folder, name), lines.map((line) => `${line}\n`).join(""));
    return join(folder, name);
  };
  const resolver = await file("resolv.conf", [`nameserver ${dnsAddress}`]);
  const noHosts = await file("no-hosts", ["192.0.2.1"]);
  const [dkim, dmarc] = [await freePort(), await freePort()];
  const opendkim = await file("opendkim.conf", [
    "Mode v",
    "Syslog no",
    "Background no",
    `Socket inet:${dkim}@127.0.0.1`,
    `InternalHosts ${noHosts}`,
    "AuthservID peer.test",
    `Nameservers ${dnsAddress}`,
  ]);
  const opendmarc = await file("opendmarc.conf", [
    "Background no",
    "Syslog no",
    `Socket inet:${dmarc}@127.0.0.1`,
    `IgnoreHosts ${noHosts}`,
    "AuthservID peer.test",
    "TrustedAuthservIDs peer.test",
    "RejectFailures true",
    "PublicSuffixList /usr/share/publicsuffix/public_suffix_list.dat",
  ]);
  const spf = await file("policyd-spf.conf", [
    "debugLevel = 0",
    "HELO_reject = Fail",
    "Mail_From_reject = Fail",
    "skip_addresses = 192.0.2.1",
  ]);
  const start = ([program, ...args]: Command): Command => [
    "unshare",
    "--mount",
    "sh",
    "-c",
    `mount --bind ${resolver} /etc/resolv.conf && exec "$0" "$@"`,
    program,
    ...args,
  ];
  const pids = [];
  for (const [port, command] of [
    [dkim, start([PROGRAMS.opendkim, "-f", "-x", opendkim])],
    [dmarc, start([PROGRAMS.opendmarc, "-f", "-c", opendmarc])],
  ] as const) {
    const [program, ...args] = command;
    const child = spawn(program, args, { stdio: "inherit" });
    children.push(child);
    await untilListening(port);
    pids.push(child.pid!);
  }
  return {
    pids,
    start,
    services: [
      `policyd-spf unix - n n - 0 spawn user=daemon argv=${PROGRAMS["postfix-policyd-spf-python"]} ${spf}`,
    ],
    settings: {
      smtpd_milters: `inet:127.0.0.1:${dkim} inet:127.0.0.1:${dmarc}`,
      milter_default_action: "tempfail",
      smtpd_recipient_restrictions: "check_policy_service unix:private/policyd-spf",
      // Debian's master.cf has a transport for it; loopback clients must not skip the restrictions.
      "policyd-spf_time_limit": "3600",
      mynetworks: "192.0.2.1",
    },
  };
}
