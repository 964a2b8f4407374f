import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { closePool } from "#server/db/pool.ts";
import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { freePort } from "#server/processes/ports.ts";
import { serviceUser } from "#server/processes/service-user.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { aDnsServer } from "#server/testing/fake-dns.ts";

import { startCheckingMilters } from "./checking-milters.ts";
import { cpuByProgram, cpuMs, ownCpuMs } from "./cpu.ts";
import { memoryMb, openIdleSessions } from "./idle-sessions.ts";
import type { MailDone, MailOrder } from "./mail-client.ts";
import { startPlainDovecot } from "./plain-dovecot.ts";
import { startPostfix } from "./postfix-peer.ts";
import { selfTimes } from "./self-times.ts";
import { SIGNED_MAIL_ZONES, signedMail } from "./signed-mail.ts";
import { endChildren, startChild } from "./start-child.ts";
import { median, reportFindings } from "./summary.ts";

// Measures messages per second from other servers into mailboxes, with SPF, DKIM, DMARC and ARC checks, beside a Dovecot with
// static users and no plugins over LMTP (aim: 0.5), Postfix with OpenDKIM, OpenDMARC and an SPF policy daemon in front of that
// one (aim: 3), and our own Dovecot over LMTP.
const { values: options } = parseArgs({
  options: {
    messages: { type: "string", default: "3000" },
    rounds: { type: "string", default: "2" },
    idle: { type: "string", default: "500" },
    only: { type: "string" },
    profile: { type: "boolean", default: false },
  },
});
const COUNT = Number(options.messages);
const IDLE = Number(options.idle);
const WARM_UP = 200;
const CONNECTIONS = 10;
const MAILBOXES = 10;
const PASSWORD = "test password";

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const dataFolder = join(folder, "data");
await mkdir(dataFolder);
const profiles = join(folder, "profiles");
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
const dns = await aDnsServer(SIGNED_MAIL_ZONES);
// The checks of Postfix ask the system's name server, which has a fixed port.
const systemDns = await aDnsServer(SIGNED_MAIL_ZONES, { address: "127.0.0.77", port: 53 });

try {
  process.env.DATABASE_URL = postgres.url;
  process.env.POSTHOUSE_DATA = dataFolder;
  await migrate(postgres.url);
  const domain = await aDomain((await aCompany()).id);
  const ports = { smtp: await freePort(), imaps: await freePort(), postfix: await freePort() };
  const env: Record<string, string> = {
    POSTHOUSE_DNS: `127.0.0.1:${dns.port}`,
    SMTP_PORT: String(ports.smtp),
    IMAPS_PORT: String(ports.imaps),
  };
  for (const name of ["SUBMISSION", "SUBMISSIONS", "IMAP", "POP3", "POP3S", "SIEVE"])
    env[`${name}_PORT`] = String(await freePort());
  const mail = await startChild("mail/main.ts", {
    env,
    execArgv: options.profile ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [],
  });
  const user = await serviceUser();
  const plainMail = join(folder, "plain-mail");
  const plain = await startPlainDovecot({
    folder: join(folder, "plain"),
    mailFolder: plainMail,
    user,
  });
  const checks = await startCheckingMilters({
    folder: join(folder, "checks"),
    dnsAddress: systemDns.address,
  });
  const postfix = await startPostfix({
    folder: join(folder, "postfix"),
    port: ports.postfix,
    user,
    services: checks.services,
    start: checks.start,
    settings: {
      ...checks.settings,
      virtual_mailbox_domains: domain.name,
      virtual_transport: `lmtp:unix:${plain.lmtp}`,
      lmtp_destination_concurrency_limit: String(CONNECTIONS),
      lmtp_connection_cache_on_demand: "yes",
    },
  });
  const client = await startChild("bench/mail-client.ts");
  const clientEnded = once(client.child, "exit").then(() => null);
  const postgresPid = Number(
    readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n")[0],
  );
  const own = [mail.child.pid!, postgresPid];
  const doors = {
    posthouse: { at: { port: ports.smtp, host: "127.0.0.1" }, hello: "EHLO", pids: own },
    "our lmtp": { at: { path: join(dataFolder, "dovecot/run/lmtp") }, hello: "LHLO", pids: own },
    "plain dovecot": { at: { path: plain.lmtp }, hello: "LHLO", pids: [plain.pid] },
    "postfix, checking": {
      at: { port: ports.postfix, host: "127.0.0.1" },
      hello: "EHLO",
      pids: [postfix.pid!, plain.pid, ...checks.pids],
    },
  } satisfies Record<string, Pick<MailOrder, "at" | "hello"> & { pids: number[] }>;
  type Door = keyof typeof doors;
  const measured = (Object.keys(doors) as Door[]).filter(
    (door) => options.only === undefined || door === options.only,
  );

  for (const door of measured) await handIn(door, WARM_UP);
  const rows: Row[] = [];
  const ratiosTo: Partial<Record<Door, number[]>> = {};
  const programs: Record<string, Record<string, number>> = {};
  for (let round = 0; round < Number(options.rounds); round++) {
    const speed: Partial<Record<Door, number>> = {};
    for (const door of measured) {
      const { programs: used, ...row } = await handIn(door, COUNT);
      speed[door] = row.perSecond;
      rows.push(row);
      programs[`${door} ${round + 1}`] = used;
    }
    const ratios = measured.slice(1).map((peer) => {
      const ratio = speed.posthouse! / speed[peer]!;
      (ratiosTo[peer] ??= []).push(ratio);
      return `posthouse / ${peer}: ${ratio.toFixed(2)}`;
    });
    if (ratios.length > 0) console.log(ratios.join(", "));
  }
  console.table(rows);
  const times = (peer: Door) => ({
    what: `inbound, beside ${peer}`,
    unit: "times",
    measured: median(ratiosTo[peer] ?? []),
  });
  if (options.only === undefined)
    reportFindings([
      { ...times("plain dovecot"), atLeast: 0.5 },
      { ...times("postfix, checking"), atLeast: 3 },
    ]);
  console.log("CPU milliseconds per message by program:");
  for (const [door, used] of Object.entries(programs)) console.log(door, used);
  await measureIdle();
  mail.child.kill("SIGTERM");
  await once(mail.child, "exit");
  if (options.profile) console.table(selfTimes(profiles));

  /** Delivers to new mailboxes, until the last message has arrived. */
  async function handIn(door: Door, count: number) {
    const { at, hello, pids } = doors[door];
    const mailboxes = await makeMailboxes();
    const messages = await signedMail(
      count,
      mailboxes.map(({ address }) => address),
    );
    const stores = mailboxes.map(({ address, store }) =>
      pids === own ? join(dataFolder, "mail", store) : join(plainMail, address),
    );
    const before = cpu(pids);
    client.child.send({ at, hello, messages, connections: CONNECTIONS } satisfies MailOrder);
    const done = await Promise.race([once(client.child, "message"), clientEnded]);
    if (done === null) throw new Error(`The client failed at ${door}`);
    const [{ startedAt }] = done as [MailDone];
    while (stored(stores) < count) await delay(10);
    const seconds = (Date.now() - startedAt) / 1000;
    // Count what the appliance does later with the messages, too.
    await delay(1_000);
    const after = cpu(pids);
    const each = (ms: number) => Number((ms / count).toFixed(2));
    const used = Object.entries(after.programs)
      .map(([name, ms]) => [name, each(ms - (before.programs[name] ?? 0))] as const)
      .filter(([, ms]) => ms > 0)
      .sort(([, a], [, b]) => b - a);
    return {
      door,
      messages: count,
      perSecond: Math.round(count / seconds),
      cpuMsEach: each(after.total - before.total),
      mail: each(after.mail - before.mail),
      dovecot: each(after.dovecot - before.dovecot),
      postgres: each(after.postgres - before.postgres),
      client: each(after.client - before.client),
      programs: Object.fromEntries(used),
    } satisfies Row & { programs: Record<string, number> };
  }

  function cpu(pids: number[]) {
    const programs: Record<string, number> = {};
    for (const pid of pids)
      for (const [name, ms] of Object.entries(cpuByProgram(pid)))
        programs[name] = (programs[name] ?? 0) + ms;
    const mailMs = ownCpuMs(mail.child.pid!);
    return {
      programs,
      total: pids.reduce((sum, pid) => sum + cpuMs(pid), 0),
      mail: pids === own ? mailMs : 0,
      dovecot: pids === own ? cpuMs(mail.child.pid!) - mailMs : cpuMs(plain.pid),
      postgres: pids === own ? cpuMs(postgresPid) : 0,
      client: cpuMs(client.child.pid!),
    };
  }

  async function makeMailboxes() {
    const made = [];
    for (let i = 0; i < MAILBOXES; i++)
      made.push(await aMailbox(domain, { quotaMb: 1024, store: `bench/${crypto.randomUUID()}` }));
    return made;
  }

  async function measureIdle(): Promise<void> {
    const made = [...(await makeMailboxes()), ...(await makeMailboxes())];
    const users = made.map(({ address }) => address);
    const isDovecot = (command: string) => command.startsWith("dovecot/");
    const before = memoryMb(isDovecot);
    const end = await openIdleSessions(ports.imaps, { users, password: PASSWORD, count: IDLE });
    await delay(2_000);
    const after = memoryMb(isDovecot);
    const each = (after - before) / IDLE;
    console.log(
      `${IDLE} idle IMAP sessions over TLS: ${Math.round(after)} MB in all, ${each.toFixed(2)} MB each`,
    );
    end();
  }
} finally {
  await endChildren("SIGTERM");
  await Promise.all([dns.close(), systemDns.close()]);
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

type Row = {
  door: string;
  messages: number;
  perSecond: number;
  /** Of all processes that handle the mail. */
  cpuMsEach: number;
  mail: number;
  dovecot: number;
  postgres: number;
  client: number;
};

/** The number of messages in the inboxes of these stores. */
function stored(stores: string[]): number {
  const inboxes = stores.map((store) => join(store, "sdbox/mailboxes/INBOX/dbox-Mails"));
  return inboxes
    .filter((inbox) => existsSync(inbox))
    .reduce(
      (sum, inbox) => sum + readdirSync(inbox).filter((name) => name.startsWith("u.")).length,
      0,
    );
}
