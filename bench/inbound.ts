import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { inArray, sql } from "drizzle-orm";

import { mailboxUsage } from "#drizzle/schema/index.ts";
import { closePool, db } from "#server/db/pool.ts";
import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { freePort } from "#server/processes/ports.ts";
import { serviceUser } from "#server/processes/service-user.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { aDnsServer } from "#server/testing/fake-dns.ts";

import { cpuMs, ownCpuMs } from "./cpu.ts";
import { memoryMb, openIdleSessions } from "./idle-sessions.ts";
import type { MailDone, MailOrder } from "./mail-client.ts";
import { startPostfix } from "./postfix-peer.ts";
import { selfTimes } from "./self-times.ts";
import { SIGNED_MAIL_ZONES, signedMail } from "./signed-mail.ts";
import { endChildren, startChild } from "./start-child.ts";

// Measures messages per second from other servers into mailboxes: our MX listener with SPF, DKIM, DMARC and ARC
// checks, Postfix in front of the same Dovecot, and Dovecot's LMTP alone. Aim: 0.9 of LMTP alone.
const { values: options } = parseArgs({
  options: {
    messages: { type: "string", default: "3000" },
    rounds: { type: "string", default: "2" },
    idle: { type: "string", default: "500" },
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
  const lmtp = { path: join(dataFolder, "dovecot/run/lmtp") };
  await startPostfix({
    folder: join(folder, "postfix"),
    port: ports.postfix,
    user: await serviceUser(),
    settings: {
      virtual_mailbox_domains: domain.name,
      virtual_transport: `lmtp:unix:${lmtp.path}`,
      lmtp_destination_concurrency_limit: String(CONNECTIONS),
      lmtp_connection_cache_on_demand: "yes",
    },
  });
  const client = await startChild("bench/mail-client.ts");
  const postgresPid = Number(
    readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n")[0],
  );
  const doors = {
    posthouse: { at: { port: ports.smtp, host: "127.0.0.1" }, hello: "EHLO" },
    postfix: { at: { port: ports.postfix, host: "127.0.0.1" }, hello: "EHLO" },
    "dovecot lmtp": { at: lmtp, hello: "LHLO" },
  } satisfies Record<string, Pick<MailOrder, "at" | "hello">>;
  type Door = keyof typeof doors;

  for (const door of Object.keys(doors) as Door[]) await handIn(door, WARM_UP);
  const rows = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const speed = {} as Record<Door, number>;
    for (const door of Object.keys(doors) as Door[]) {
      const row = await handIn(door, COUNT);
      speed[door] = row.perSecond;
      rows.push(row);
    }
    const ratio = (peer: Door) => (speed.posthouse / speed[peer]).toFixed(2);
    console.log(
      `posthouse / postfix: ${ratio("postfix")}, posthouse / dovecot lmtp: ${ratio("dovecot lmtp")}`,
    );
  }
  console.table(rows);
  await measureIdle();
  mail.child.kill("SIGTERM");
  await once(mail.child, "exit");
  if (options.profile) console.table(selfTimes(profiles));

  /** Delivers to new mailboxes, until the last message has arrived. */
  async function handIn(door: Door, count: number) {
    const recipients = await makeMailboxes();
    const messages = await signedMail(count, recipients);
    const before = cpu();
    const { at, hello } = doors[door];
    client.child.send({ at, hello, messages, connections: CONNECTIONS } satisfies MailOrder);
    const [{ startedAt }] = (await once(client.child, "message")) as [MailDone];
    while ((await arrived(recipients)) < count) await delay(10);
    const seconds = (Date.now() - startedAt) / 1000;
    const after = cpu();
    const cpuMsEach = (of: keyof typeof after) =>
      Number(((after[of] - before[of]) / count).toFixed(2));
    return {
      door,
      messages: count,
      perSecond: Math.round(count / seconds),
      mailCpuMsEach: cpuMsEach("mail"),
      dovecotCpuMsEach: cpuMsEach("dovecot"),
      postgresCpuMsEach: cpuMsEach("postgres"),
      clientCpuMsEach: cpuMsEach("client"),
    };
  }

  function cpu() {
    const own = ownCpuMs(mail.child.pid!);
    return {
      mail: own,
      dovecot: cpuMs(mail.child.pid!) - own,
      postgres: cpuMs(postgresPid),
      client: cpuMs(client.child.pid!),
    };
  }

  async function makeMailboxes(): Promise<string[]> {
    const made = [];
    for (let i = 0; i < MAILBOXES; i++)
      made.push(await aMailbox(domain, { quotaMb: 1024, store: `bench/${crypto.randomUUID()}` }));
    return made.map(({ address }) => address);
  }

  async function arrived(recipients: string[]): Promise<number> {
    const [sum] = await db()
      .select({ messages: sql<number>`coalesce(sum(${mailboxUsage.messages}), 0)::int` })
      .from(mailboxUsage)
      .where(inArray(mailboxUsage.address, recipients));
    return sum!.messages;
  }

  async function measureIdle(): Promise<void> {
    const users = [...(await makeMailboxes()), ...(await makeMailboxes())];
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
  await dns.close();
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
