import { spawn } from "node:child_process";
import { once } from "node:events";
import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";

import type { Logger } from "pino";

import { joinStreams } from "#server/gateways/host-link.ts";
import { mailStorePath } from "#server/gateways/mail-store.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";

import { prepareDsync, runCopy } from "./copy-store.ts";

const LF = 0x0a;
const HEADER_BYTES_MAX = 1_000;

export type StoreReceiver = {
  dataFolder: string;
  log: Logger;
  /** Whether a mailbox is being moved here or is stored here. False once it is deleted. */
  isExpected: (store: string) => Promise<boolean>;
};

/**
 * Lets another mail host write a mail store here with dsync. The connection begins with a line that names the store.
 * Never rejects.
 */
export async function receiveStore(client: TLSSocket, receiver: StoreReceiver): Promise<void> {
  try {
    const store = await readLine(client);
    await runCopy(store, (signal) => runDsyncServer(client, { store, signal, ...receiver }));
  } catch (error) {
    receiver.log.warn({ err: error }, "couldn't receive a mailbox from another host");
    client.destroy();
  }
}

async function runDsyncServer(
  client: TLSSocket,
  {
    store,
    signal,
    dataFolder,
    log,
    isExpected,
  }: StoreReceiver & { store: string; signal: AbortSignal },
): Promise<void> {
  const home = mailStorePath(store, dataFolder);
  if (!(await isExpected(store)))
    throw new Error(`mailbox ${store} isn't being moved to this host`);
  const { conf, dsync } = await prepareDsync(dataFolder);
  const { command, args } = await asServiceUser(
    { command: "doveadm", args: dsync("dsync-server") },
    { paths: [conf], deathSignal: "TERM" },
  );
  const { name } = await serviceUser();
  signal.throwIfAborted();
  const receiving = spawn(command, args, {
    env: { ...process.env, HOME: home, USER: name },
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe"],
  });
  signal.addEventListener("abort", () => receiving.kill("SIGKILL"), { once: true });
  receiving.stderr.on("data", (text: Buffer) =>
    log.warn({ store, output: text.toString().trim() }, "dsync reported a problem"),
  );
  joinStreams(client, Duplex.from({ readable: receiving.stdout, writable: receiving.stdin }));
  client.once("close", () => receiving.kill());
  await once(receiving, "exit");
}

/** Reads the first line, and leaves the rest to be read. */
async function readLine(client: TLSSocket): Promise<string> {
  let header = Buffer.alloc(0);
  while (header.length < HEADER_BYTES_MAX) {
    const chunk = client.read() as Buffer | null;
    if (chunk === null) {
      await once(client, "readable");
      continue;
    }
    header = Buffer.concat([header, chunk]);
    const end = header.indexOf(LF);
    if (end < 0) continue;
    client.unshift(header.subarray(end + 1));
    return header.subarray(0, end).toString();
  }
  throw new Error("the connection doesn't begin with the name of a mail store");
}
