import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

import { children } from "./start-child.ts";

const run = promisify(execFile);

/** The Postfix services that handle mail from SMTP to SMTP or LMTP; none in a chroot. */
const SERVICES = [
  "cleanup unix n - n - 0 cleanup",
  "qmgr unix n - n 300 1 qmgr",
  "rewrite unix - - n - - trivial-rewrite",
  "bounce unix - - n - 0 bounce",
  "defer unix - - n - 0 bounce",
  "trace unix - - n - 0 bounce",
  "error unix - - n - - error",
  "retry unix - - n - - error",
  "smtp unix - - n - - smtp",
  "lmtp unix - - n - 10 lmtp",
  "scache unix - - n - 1 scache",
  "anvil unix - - n - 1 anvil",
  "proxymap unix - - n - - proxymap",
  "postlog unix-dgram n - n - 1 postlogd",
];

/** The default settings, except for where things are. */
const SETTINGS = {
  compatibility_level: "3.6",
  myhostname: "peer.test",
  mydestination: "",
  inet_interfaces: "127.0.0.1",
  inet_protocols: "ipv4",
  mynetworks: "127.0.0.0/8",
  smtputf8_enable: "no",
  disable_dns_lookups: "yes",
  maillog_file: "/dev/null",
  maillog_file_prefixes: "/dev",
  local_recipient_maps: "",
  alias_maps: "",
};

/** How to start a program. */
export type Command = [program: string, ...args: string[]];

/**
 * A private Postfix that accepts mail over SMTP. It keeps each message on disk until it is delivered.
 *
 * @param user of Postfix' processes
 * @param settings where mail goes, and what differs from the defaults
 * @param services further lines of master.cf
 * @param start changes how its master process is started
 * @throws Error when Postfix is not installed
 */
export async function startPostfix({
  folder,
  port,
  user,
  settings,
  services = [],
  start = (command) => command,
}: {
  folder: string;
  port: number;
  user: { name: string; uid: number };
  settings: Record<string, string>;
  services?: string[];
  start?: (command: Command) => Command;
}): Promise<ChildProcess> {
  const [etc, queue, data] = ["etc", "queue", "data"].map((name) => join(folder, name));
  for (const path of [etc!, queue!, data!]) await mkdir(path, { recursive: true });
  await chown(data!, user.uid, 0);
  const places = { queue_directory: queue!, data_directory: data!, mail_owner: user.name };
  const lines = Object.entries({ ...SETTINGS, ...places, ...settings });
  await writeFile(
    join(etc!, "main.cf"),
    lines.map(([name, value]) => `${name} = ${value}\n`).join(""),
  );
  const listener = `127.0.0.1:${port} inet n - n - - smtpd`;
  await writeFile(join(etc!, "master.cf"), [listener, ...SERVICES, ...services, ""].join("\n"));
  await run("postfix", ["-c", etc!, "check"]).catch((error: unknown) => {
    throw new Error("Postfix cannot run: apt-get install postfix", { cause: error });
  });
  const { stdout } = await run("postconf", ["-h", "daemon_directory"]);
  const [program, ...args] = start([join(stdout.trim(), "master"), "-c", etc!, "-d"]);
  const master = spawn(program, args, { stdio: "inherit" });
  children.push(master);
  await untilListening(port);
  return master;
}

/** @throws Error when nothing listens after ten seconds */
export async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isUp) return;
    await delay(100);
  }
  throw new Error(`Nothing listens on port ${port}`);
}
