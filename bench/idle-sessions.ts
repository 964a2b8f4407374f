import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { connect, type TLSSocket } from "node:tls";

/** Signs mail apps in over TLS and leaves them in IDLE (RFC 2177); the returned function ends them. */
export async function openIdleSessions(
  port: number,
  { users, password, count }: { users: string[]; password: string; count: number },
): Promise<() => void> {
  const sockets: TLSSocket[] = [];
  for (let i = 0; i < count; i++)
    sockets.push(await openOne(port, users[i % users.length]!, password));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

async function openOne(port: number, user: string, password: string): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const until = async (start: string) => {
    for (;;) {
      const { value = "", done } = await lines.next();
      if (done) throw new Error(`The session of ${user} ended`);
      if (value.startsWith(start)) return;
      if (value.startsWith("a1 NO")) throw new Error(value);
    }
  };
  await until("* OK");
  socket.write(`a1 LOGIN ${user} "${password}"\r\n`);
  await until("a1 OK");
  socket.write("a2 SELECT INBOX\r\n");
  await until("a2 OK");
  socket.write("a3 IDLE\r\n");
  await until("+");
  return socket;
}

/** Private memory of processes, and their proportional share of shared memory (PSS), in MB. */
export function memoryMb(isCounted: (command: string) => boolean): number {
  let kilobytes = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      if (!isCounted(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "))) continue;
      const [, pss] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))!;
      kilobytes += Number(pss);
    } catch {
      // It exited after the listing.
    }
  return kilobytes / 1024;
}
