import { once } from "node:events";
import { chmod, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";

import type { Logger } from "pino";

import {
  type DovecotAdmin,
  type DovecotSocket,
  DovecotError,
  type SessionProcess,
} from "#server/gateways/dovecot.ts";
import { giveTo } from "#server/processes/open-no-follow.ts";
import type { ServiceUser } from "#server/processes/service-user.ts";

/** Below Dovecot's base_dir. */
const SOCKET: DovecotSocket = "sessions";

type Kick = { address: string; clientAddress?: string };

/**
 * Ends sessions when other processes ask for it (`kick` of DovecotAdmin), over a socket that only the service user can open. They
 * can't do it themselves: in other containers, process IDs mean something else. Answers like doveadm.
 *
 * @param baseFolder Dovecot's base_dir, which is emptied at each start of Dovecot
 * @returns a function that stops listening
 */
export async function listenForKicks(
  baseFolder: string,
  { user, log, admin }: { user: ServiceUser; log: Logger; admin: DovecotAdmin },
): Promise<() => void> {
  const server = createServer((request, response) => {
    const answer = async () => {
      const [[, { address, clientAddress }]] = (await json(request)) as [[string, Kick]];
      const all = await admin.sessionProcesses(address);
      const ended = await signalSessions(
        all.filter((each) => clientAddress === undefined || each.clientAddress === clientAddress),
      );
      return ["doveadmResponse", ended];
    };
    void answer()
      .catch((error: unknown) => {
        log.warn({ err: error }, "couldn't end sessions");
        return ["error", { type: error instanceof DovecotError ? error.code : "EPROTO" }];
      })
      .then((result) => response.end(JSON.stringify([result])));
  });
  const path = join(baseFolder, SOCKET);
  server.listen(path);
  await once(server, "listening");
  giveTo(user, path);
  await chmod(path, 0o600);
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

/** Ends sessions with the signal that 2.3's `doveadm kick` uses. Returns those that were still open. */
export async function signalSessions(processes: SessionProcess[]): Promise<SessionProcess[]> {
  const ended: SessionProcess[] = [];
  for (const session of processes) if (await endSession(session)) ended.push(session);
  return ended;
}

async function endSession({ pid, service }: SessionProcess): Promise<boolean> {
  // The session may have ended meanwhile, and another program may have its process ID.
  const program = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  if (program.trim() !== service) return false;
  try {
    return process.kill(pid, "SIGTERM");
  } catch {
    return false;
  }
}
