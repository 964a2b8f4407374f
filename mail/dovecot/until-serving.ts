import { createConnection, type NetConnectOpts, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import type { DovecotSettings } from "./settings.ts";

const RETRY_MS = 50;
/** On a loaded machine, the process that greets takes seconds to start. */
const GREETING_TIMEOUT_MS = 10_000;

/** Waits until Dovecot serves LMTP and IMAP; rejects when `signal` aborts. */
export async function untilServing(
  { bind, ports }: Pick<DovecotSettings, "bind" | "ports">,
  { baseFolder, signal }: { baseFolder: string; signal: AbortSignal },
): Promise<void> {
  await untilGreeted({ path: `${baseFolder}/lmtp` }, /^220 /, signal);
  await untilGreeted({ host: connectAddress(bind), port: ports.imap }, /^\* OK/, signal);
}

/** The address to connect to for a wildcard address. */
export const connectAddress = (bind: string) =>
  ({ "0.0.0.0": "127.0.0.1", "::": "127.0.0.1" })[bind] ?? bind;

async function untilGreeted(at: NetConnectOpts, expected: RegExp, signal: AbortSignal) {
  while (!expected.test(await greeting(at))) {
    await sleep(RETRY_MS, undefined, { signal });
  }
}

/** The first line that the server sends; empty on failure. */
function greeting(at: NetConnectOpts): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = createConnection(at);
    socket.setTimeout(GREETING_TIMEOUT_MS, () => socket.destroy());
    socket.once("error", () => resolve(""));
    socket.once("close", () => resolve(""));
    socket.once("data", (line) => {
      resolve(line.toString("latin1"));
      socket.destroy();
    });
  });
}
