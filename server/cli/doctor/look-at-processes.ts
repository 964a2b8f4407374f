import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

import { hostFor } from "#server/cli/self-check/self-check.ts";
import type { Config } from "#server/config.ts";
import { lmtpSocketPath } from "#server/core/mailboxes/lmtp-socket.ts";
import { queueDepth } from "#server/core/outbox/queue-depth.ts";
import type { Db } from "#server/db/client.ts";

import { type Finding, ok, problem } from "./finding.ts";

const ANSWER_TIMEOUT_MS = 5_000;
/** Longer than the worker's lease: whatever is due this long has nobody who takes it. */
const DUE_MAX_SECONDS = 120;

/** Whether the web process serves and reaches the database. */
export async function lookAtWeb({ bind, ports }: Config): Promise<Finding> {
  const url = `http://${hostFor(bind)}:${ports.web}/readyz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).then(
    (response) => `${response.status} ${response.statusText}`,
    () => "no answer",
  );
  return answer.startsWith("200")
    ? ok("web", `serves on port ${ports.web}`)
    : problem(
        "web",
        `${url}: ${answer}`,
        "Is it started (POSTHOUSE_ROLES, PORT)? See logs/web.log",
      );
}

/** Whether somebody takes what is due. */
export async function lookAtWorker(db: Db): Promise<Finding> {
  const { waiting, due, oldestDueSeconds } = await queueDepth(db);
  const age = Math.round(oldestDueSeconds ?? 0);
  const found = `${waiting} recipients wait, ${due} of them due${due ? ` since up to ${age} s` : ""}`;
  return age > DUE_MAX_SECONDS
    ? problem("worker", found, "Nobody takes them: is the worker running? See logs/worker.log")
    : ok("worker", found);
}

/** Whether the mail process greets: other servers, mail apps, and the worker that hands messages over. */
export async function lookAtMail(config: Config): Promise<Finding[]> {
  const host = hostFor(config.bind).replace(/^\[|\]$/g, "");
  const { imaps, smtp, submission, submissions } = config.ports;
  return Promise.all([
    lookAtGreeting("SMTP", `port ${smtp}`, "220", () => connectTcp({ host, port: smtp })),
    lookAtGreeting("SMTP for mail apps", `port ${submissions}`, "220", () =>
      connectTls({ host, port: submissions, rejectUnauthorized: false }),
    ),
    lookAtGreeting("SMTP for mail apps", `port ${submission}`, "220", () =>
      connectTcp({ host, port: submission }),
    ),
    lookAtGreeting("IMAP", `port ${imaps}`, "* OK", () =>
      connectTls({ host, port: imaps, rejectUnauthorized: false }),
    ),
    lookAtGreeting("LMTP", lmtpSocketPath(config.dataFolder), "220", () =>
      connectTcp({ path: lmtpSocketPath(config.dataFolder) }),
    ),
  ]);
}

async function lookAtGreeting(
  part: string,
  where: string,
  expected: string,
  open: () => Socket,
): Promise<Finding> {
  const socket = open();
  const greeting = await firstLine(socket);
  socket.destroy();
  return greeting.startsWith(expected)
    ? ok(part, `greets at ${where}`)
    : problem(
        part,
        `${where}: ${greeting}`,
        "Is mail started (POSTHOUSE_ROLES)? See logs/mail.log",
      );
}

async function firstLine(socket: Socket): Promise<string> {
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const [chunk] = (await once(socket, "data", { signal })) as [Buffer];
    return chunk.toString("latin1").split("\r\n")[0]!;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return `no greeting${code ? ` (${code})` : ""}`;
  }
}
