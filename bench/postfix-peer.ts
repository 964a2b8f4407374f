import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

import { children } from "./start-child.ts";

const run = promisify(execFile);

/** The Postfix services that handle mail from SMTP to LMTP; none in a chroot. */
const SERVICES = [
  "cleanup unix n - n - 0 cleanup",
  "qmgr unix n - n 300 1 qmgr",
  "rewrite unix - - n - - trivial-rewrite",
  "bounce unix - - n - 0 bounce",
  "defer unix - - n - 0 bounce",
  "trace unix - - n - 0 bounce",
  "error unix - - n - - error",
  "lmtp unix - - n - 10 lmtp",
  "anvil unix - - n - 1 anvil",
  "proxymap unix - - n - - proxymap",
  "postlog unix-dgram n - n - 1 postlogd",
];

/**
 * A private Postfix that accepts mail for a domain over SMTP and hands it to an LMTP socket over ten
 * connections, with default settings otherwise. It keeps each message on disk until it is delivered.
 *
 * @param user may reach the socket
 * @throws Error when Postfix is not installed
 */
export async function startPostfix({
  folder,
  port,
  domain,
  lmtpSocket,
  user,
}: {
  folder: string;
  port: number;
  domain: string;
  lmtpSocket: string;
  user: { name: string; uid: number };
}): Promise<ChildProcess> {
  const [etc, queue, data] = ["etc", "queue", "data"].map((name) => join(folder, name));
  for (const path of [etc!, queue!, data!]) await mkdir(path, { recursive: true });
  await chown(data!, user.uid, 0);
  await writeFile(
    join(etc!, "main.cf"),
    [
      "compatibility_level = 3.6",
      `queue_directory = ${queue}`,
      `data_directory = ${data}`,
      `mail_owner = ${user.name}`,
      "myhostname = peer.test",
      "mydestination =",
      "inet_interfaces = 127.0.0.1",
      "inet_protocols = ipv4",
      "mynetworks = 127.0.0.0/8",
      "smtputf8_enable = no",
      "disable_dns_lookups = yes",
      `maillog_file = /dev/null`,
      "maillog_file_prefixes = /dev",
      `virtual_mailbox_domains = ${domain}`,
      `virtual_transport = lmtp:unix:${lmtpSocket}`,
      "lmtp_destination_concurrency_limit = 10",
      "lmtp_connection_cache_on_demand = yes",
      "local_recipient_maps =",
      "alias_maps =",
      "",
    ].join("\n"),
  );
  const listener = `127.0.0.1:${port} inet n - n - 20 smtpd`;
  await writeFile(join(etc!, "master.cf"), [listener, ...SERVICES, ""].join("\n"));
  await run("postfix", ["-c", etc!, "check"]).catch((error: unknown) => {
    throw new Error("Postfix cannot run: apt-get install postfix", { cause: error });
  });
  const { stdout } = await run("postconf", ["-h", "daemon_directory"]);
  const master = spawn(join(stdout.trim(), "master"), ["-c", etc!, "-d"], { stdio: "inherit" });
  children.push(master);
  await untilListening(port);
  return master;
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isUp) return;
    await delay(100);
  }
  throw new Error("Postfix does not listen");
}
