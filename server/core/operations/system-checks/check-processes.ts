import type { Config } from "#server/config.ts";
import { lmtpSocketPath } from "#server/core/mailboxes/mailboxes/lmtp-socket.ts";
import { findUnresponsiveComponents } from "#server/core/platform/processes/processes.ts";
import { linkTo } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { listMailHosts } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { getQueueDepth } from "#server/core/sending/outbox/queue-depth.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";
import { readGreeting, type ServerPlace } from "#server/gateways/greeting.ts";

import { failed, type Finding, ok } from "./finding.ts";
import { localUrlHost, localAddress } from "./local-address.ts";

const ANSWER_TIMEOUT_MS = 5_000;
// Longer than the worker's lease, so no worker is leasing rows.
const DUE_MAX_SECONDS = 120;

/** Checks that the web process responds and reaches the database. */
export async function checkWeb({ bind, ports }: Config): Promise<Finding> {
  const url = `http://${localUrlHost(bind)}:${ports.web}/readyz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).then(
    async (response) => `${response.status} ${(await response.text()).trim()}`,
    () => "no answer",
  );
  // Other parts that don't respond are reported as separate findings.
  return answer.startsWith("200") || answer.includes("does not respond")
    ? ok("web", `Responds on port ${ports.web}`)
    : failed(
        "web",
        `${url}: ${answer}`,
        "Check POSTHOUSE_ROLES and PORT, and see `posthouse logs --process web`",
      );
}

const PROCESSES = {
  web: "web",
  worker: "worker",
  mail: "mail",
  Dovecot: "mail",
  delivery: "worker",
};

/** The processes of this machine's roles whose heartbeats are overdue. */
export async function checkHeartbeats(
  db: Db,
  { roles }: Pick<Config, "roles">,
): Promise<Finding[]> {
  const overdue = await findUnresponsiveComponents(db, roles);
  if (overdue.length === 0) return [ok("processes", "All processes of this machine respond")];
  return overdue.map((part) =>
    failed(
      part,
      "Does not respond",
      part === "delivery"
        ? "A database query in the worker hangs. Restart Posthouse, and see `posthouse logs --process worker`"
        : `Posthouse restarts it within a minute. If it stays down, see \`posthouse logs --process ${PROCESSES[part]}\``,
    ),
  );
}

/** Checks that due recipients are being delivered. */
export async function checkWorker(db: Db): Promise<Finding> {
  const { waiting, due, oldestDueSeconds } = await getQueueDepth(db);
  const age = Math.round(oldestDueSeconds ?? 0);
  const found = `${pluralize(waiting, "recipient")} queued, ${due} due${due ? ` for up to ${age} s` : ""}`;
  return age > DUE_MAX_SECONDS
    ? failed(
        "worker",
        found,
        "Nothing is delivering them. Check that the worker is running, and see `posthouse logs --process worker`",
      )
    : ok("worker", found);
}

/**
 * Checks that Dovecot on each of the other mail hosts answers this one. Nothing is found if mail hosts have no names and
 * this machine is the only one.
 */
export async function checkMailHosts(db: Db, { mailHost, roles }: Config): Promise<Finding[]> {
  const hosts = await listMailHosts(db);
  if (hosts.length === 0 && !roles.has("mail"))
    return [
      failed(
        "mail hosts",
        "No mail host has started yet",
        "Start a host with the mail role and POSTHOUSE_MAIL_HOST",
      ),
    ];
  const others = hosts.filter(({ name }) => name !== mailHost);
  return Promise.all(others.map(({ name }) => checkMailHost(name)));
}

async function checkMailHost(name: string): Promise<Finding> {
  const part = "mail host";
  const link = linkTo(name);
  const greeting = await readGreeting({ link }, ANSWER_TIMEOUT_MS);
  if (greeting.kind === "greeted" && greeting.line.startsWith("220"))
    return ok(part, `${name} responds on port ${link.port}`);
  const greetingLine =
    greeting.kind === "greeted" ? greeting.line : `no response (${greeting.code})`;
  return failed(
    part,
    `${name}, port ${link.port}: ${greetingLine}`,
    `Check that this machine can connect to ${name} on port ${link.port}, that both have the same instance key, and \`posthouse logs --process mail\` there`,
  );
}

/** Checks the greetings of the mail process: for other servers, mail apps and the worker. */
export async function checkMail({ bind, ports, dataFolder }: Config): Promise<Finding[]> {
  const host = localAddress(bind);
  const { imaps, smtp, submission, submissions } = ports;
  const path = lmtpSocketPath(dataFolder);
  const checkPort = (part: string, expected: string, port: number, tls = false) =>
    checkGreeting(part, `port ${port}`, expected, { host, port, tls });
  return Promise.all([
    checkPort("SMTP", "220", smtp),
    checkPort("SMTP for mail apps", "220", submissions, true),
    checkPort("SMTP for mail apps", "220", submission),
    checkPort("IMAP", "* OK", imaps, true),
    checkGreeting("LMTP", path, "220", { path }),
  ]);
}

async function checkGreeting(
  part: string,
  where: string,
  expected: string,
  place: ServerPlace,
): Promise<Finding> {
  const greeting = await readGreeting(place, ANSWER_TIMEOUT_MS);
  const greetingLine =
    greeting.kind === "greeted" ? greeting.line : `no response (${greeting.code})`;
  return greetingLine.startsWith(expected)
    ? ok(part, `Responds on ${where}`)
    : failed(
        part,
        `${where}: ${greetingLine}`,
        "Check that this machine has the mail role (POSTHOUSE_ROLES), and see `posthouse logs --process mail`",
      );
}
