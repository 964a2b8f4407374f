import { execFileSync, spawn } from "node:child_process";
import { chown, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { aFreePort } from "#server/testing/a-free-port.ts";

import { startPostfix, untilListening } from "./postfix-peer.ts";
import { children } from "./start-child.ts";

/** Debian's programs, each with the PID of its first process. */
type DebianPeers = Record<"postfix" | "dovecot" | "postgres", number>;

/** Starts Debian's Postfix, Dovecot 2.3 and Postgres with their default settings. */
export async function startDebianPeers(folder: string): Promise<DebianPeers> {
  return {
    postfix: await aPostfix(join(folder, "postfix")),
    dovecot: await aDovecot(join(folder, "dovecot")),
    postgres: await aPostgres(join(folder, "postgres")),
  };
}

async function aPostfix(home: string): Promise<number> {
  const port = await aFreePort();
  const user = { name: "postfix", uid: idOf("postfix") };
  return (await startPostfix({ folder: home, port, user, settings: {} })).pid!;
}

async function aDovecot(home: string): Promise<number> {
  const port = await aFreePort();
  await mkdir(home);
  const conf = join(home, "dovecot.conf");
  await writeFile(
    conf,
    `protocols = imap
listen = 127.0.0.1
base_dir = ${home}/run
state_dir = ${home}/state
log_path = /dev/null
ssl = no
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=dovecot gid=dovecot home=${home}/mail
}
`,
  );
  return start("dovecot", ["-F", "-c", conf], port);
}

async function aPostgres(home: string): Promise<number> {
  const port = await aFreePort();
  const [version] = await readdir("/usr/lib/postgresql");
  const bin = `/usr/lib/postgresql/${version!}/bin`;
  await mkdir(home);
  await chown(home, idOf("postgres"), 0);
  const asPostgres = ["--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"];
  execFileSync("setpriv", [...asPostgres, `${bin}/initdb`, "-D", `${home}/data`], { cwd: "/" });
  const args = ["-D", `${home}/data`, "-p", String(port), "-k", home];
  return start("setpriv", [...asPostgres, `${bin}/postgres`, ...args], port);
}

async function start(command: string, args: string[], port: number): Promise<number> {
  const child = spawn(command, args, { cwd: "/", stdio: "ignore" });
  children.push(child);
  await untilListening(port);
  return child.pid!;
}

function idOf(user: string): number {
  return Number(execFileSync("id", ["-u", user]).toString());
}
