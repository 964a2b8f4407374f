import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";

import { writeStoreConf } from "#mail/dovecot/store-conf.ts";
import { storeCommand } from "#server/gateways/dovecot.ts";
import { findDovecot } from "#server/gateways/find-dovecot.mjs";
import { type HostLink, joinStreams, linkClientOptions } from "#server/gateways/host-link.ts";
import { hasMailStore, mailStorePath, untilSynced } from "#server/gateways/mail-store.ts";
import { giveTo } from "#server/processes/open-no-follow.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";

const PIPE = join(import.meta.dirname, "pipe.mjs");

type Store = { store: string; dataFolder: string };

/**
 * Copies a mail store to another mail host: folders, messages with UIDs and flags, subscriptions and Sieve scripts. A
 * second copy transfers only what changed.
 *
 * @param how `backup` replaces what the other host has; `sync` merges both, for a store that is already in use there
 * @throws Error with doveadm's last line of output
 */
export async function copyStore(
  { store, dataFolder }: Store,
  { link, how }: { link: HostLink; how: "backup" | "sync" },
): Promise<void> {
  // A mailbox that never had any mail.
  if (!hasMailStore(store, dataFolder)) return;
  const { code, output, unreachable } = await untilSynced(() =>
    runCopy(store, (signal) => runDsync({ store, dataFolder }, { link, how, signal })),
  );
  if (code === 0) return;
  throw unreachable ? new Error(unreachable) : copyError({ code, output, how, link });
}

/** The message is shown to operators, so it has the last line only; the log gets all as the cause. */
function copyError({
  code,
  output,
  how,
  link,
}: Pick<DsyncResult, "code" | "output"> & { how: string; link: HostLink }): Error {
  const reason = output.split("\n").at(-1) || "no reason given";
  const message = `Copying the mail to ${link.host} failed (doveadm ${how}, exit code ${code}): ${reason}`;
  return new Error(message, { cause: output });
}

type DsyncResult = {
  code: number | null;
  output: string;
  /** Why the connection to the other host failed. */
  unreachable: string | null;
};

async function runDsync(
  { store, dataFolder }: Store,
  { link, how, signal }: { link: HostLink; how: "backup" | "sync"; signal: AbortSignal },
): Promise<DsyncResult> {
  const home = mailStorePath(store, dataFolder);
  const { conf, dsync } = await prepareDsync(dataFolder);
  await using relay = await openRelay(store, link);
  const { command, args } = await asServiceUser(
    { command: "doveadm", args: dsync(how, process.execPath, PIPE, relay.path) },
    { paths: [conf, home, PIPE, process.execPath], deathSignal: "TERM" },
  );
  const { name } = await serviceUser();
  signal.throwIfAborted();
  const copying = spawn(command, args, {
    env: { ...process.env, HOME: home, USER: name },
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
  });
  signal.addEventListener("abort", () => copying.kill("SIGKILL"), { once: true });
  const [output, [code]] = await Promise.all([
    text(copying.stderr),
    once(copying, "exit") as Promise<[number | null]>,
  ]);
  return { code, output: output.trim(), unreachable: relay.problem() };
}

type Relay = AsyncDisposable & {
  path: string;
  /** Why the connection to the other host failed. */
  problem(): string | null;
};

/** A socket that only the service user can open, connected with the mail store on the other host. */
async function openRelay(store: string, link: HostLink): Promise<Relay> {
  const folder = await mkdtemp(join(tmpdir(), "posthouse-move-"));
  const user = await serviceUser();
  giveTo(user, folder);
  const path = join(folder, "dsync");
  let problem: string | null = null;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const { host, port } = link;
    const other = connect({ host, port, ...linkClientOptions(link, "dsync") });
    for (const each of [socket, other]) open.add(each);
    other.once(
      "error",
      (error: Error) => (problem = `The connection to ${host} failed: ${error.message}`),
    );
    other.write(`${store}\n`);
    joinStreams(socket, other);
  });
  server.listen(path);
  await once(server, "listening");
  giveTo(user, path);
  return {
    path,
    problem: () => problem,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const each of open) each.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @returns the configuration of mail stores, and the arguments for a command of dsync */
export async function prepareDsync(
  dataFolder: string,
): Promise<{ conf: string; dsync: (command: string, ...args: string[]) => string[] }> {
  const { version } = await findDovecot();
  const conf = await writeStoreConf(join(dataFolder, "dovecot/stores"), version);
  return {
    conf,
    dsync: (command, ...args) => storeCommand(version, { conf, command: [command], args }),
  };
}

type RunningCopy = { store: string; abort: AbortController; ended: Promise<unknown> };

const running = new Set<RunningCopy>();

/** Runs dsync on a mail store of this host, so that `endCopies` can end it. */
export async function runCopy<T>(
  store: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const result = run(abort.signal);
  const copy = { store, abort, ended: result.catch(() => {}) };
  running.add(copy);
  try {
    return await result;
  } finally {
    running.delete(copy);
  }
}

/**
 * Ends the copying of a mail store from or to this host, or of all of them, and waits until nothing more is written.
 */
export async function endCopies(store?: string): Promise<void> {
  const ending = [...running].filter((copy) => store === undefined || copy.store === store);
  for (const { abort } of ending) abort.abort();
  await Promise.all(ending.map(({ ended }) => ended));
}
