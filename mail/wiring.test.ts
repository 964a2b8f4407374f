import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect as connectTls } from "node:tls";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { config } from "#server/config.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import { db } from "#server/db/pool.ts";
import { aFreePort } from "#server/testing/a-free-port.ts";
import { lockMessages, untilBlocked } from "#server/testing/blocked.ts";
import { fileOf } from "#server/testing/ensure-built.ts";
import { aCompany, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { imapSignIn } from "#server/testing/imap-dialog.ts";
import { outsideDns } from "#server/testing/signed-mail.ts";
import { startReport } from "#server/testing/start-report.ts";

// Runs the real mail process, to test how main.ts wires parts that have their own tests.
const HOSTNAME = "mail.example.test";
const PORTS = ["SMTP", "SUBMISSION", "SUBMISSIONS", "IMAP", "IMAPS", "POP3", "POP3S", "SIEVE"];

let folder: string;
let ports: Record<string, number>;
let mail: ChildProcess;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-mail-"));
  await chmod(folder, 0o755);
  await requireInstanceKey(db());
  await cp(join(config().dataFolder, "keys"), join(folder, "keys"), { recursive: true });
  const { dns } = await outsideDns({});
  ports = {};
  for (const name of PORTS) ports[name] = await aFreePort();
  await writeCertificate("first");
  domain = await aDomain((await aCompany()).id);
  mailbox = (await aMailbox(domain)).address;
  mail = fork(fileOf("mail/main.ts"), {
    env: {
      ...process.env,
      ...Object.fromEntries(PORTS.map((name) => [`${name}_PORT`, String(ports[name])])),
      NODE_ENV: "production",
      DATABASE_URL: config().databaseUrl!,
      POSTHOUSE_DATA: folder,
      POSTHOUSE_HOSTNAME: HOSTNAME,
      POSTHOUSE_BIND: "127.0.0.1",
      POSTHOUSE_DNS: `${dns.address}:${dns.port}`,
      POSTHOUSE_TLS_CERT: join(folder, "own.crt"),
      POSTHOUSE_TLS_KEY: join(folder, "own.key"),
    },
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  expect(await startReport(mail)).toEqual({ type: "ready" });
}, 60_000);
afterAll(async () => {
  mail.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** Replaces the certificate in the configured file. */
async function writeCertificate(name: string): Promise<string> {
  const dataFolder = join(folder, name);
  const made = await loadSelfSigned({ dataFolder, hostname: HOSTNAME, now: new Date() });
  await writeFile(join(folder, "own.key"), made.key);
  await writeFile(join(folder, "own.crt"), made.certificate);
  return made.certificate;
}

/** Sends a line (unless null) and waits for a line with the expected prefix. */
function conversation(socket: Socket) {
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return async (line: string | null, expected: string) => {
    if (line !== null) socket.write(`${line}\r\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`closed instead of ${expected} to ${line}`);
      if (value.startsWith(expected)) return;
      if (!/^\d{3}-/.test(value)) throw new Error(`${value} instead of ${expected} to ${line}`);
    }
  };
}

/** Waits until a listener presents this certificate. */
async function shows(port: number, ca: string, startTls: boolean): Promise<void> {
  const socket = createConnection(port, "127.0.0.1");
  try {
    if (startTls) {
      const say = conversation(socket);
      await say(null, "220 ");
      await say("EHLO there.test", "250 ");
      await say("STARTTLS", "220 ");
      socket.removeAllListeners("data");
    }
    const secure = connectTls({ socket, ca, servername: HOSTNAME });
    await once(secure, "secureConnect");
  } finally {
    socket.destroy();
  }
}

test("uses a renewed certificate on port 25, for submission and in Dovecot", async () => {
  const renewed = await writeCertificate("second");
  const listeners = [
    ["SMTP", true],
    ["SUBMISSION", true],
    ["SUBMISSIONS", false],
    ["IMAPS", false],
  ] as const;
  for (const [name, startTls] of listeners)
    await vi.waitFor(() => shows(ports[name]!, renewed, startTls), {
      timeout: 30_000,
      interval: 500,
    });
});

// Dovecot counts its two seconds in whole seconds of the clock, so an answer takes at least one.
test("answers a wrong password after a delay", async () => {
  const since = performance.now();
  const answer = await imapSignIn(ports.IMAPS!, mailbox, { password: "wrong password" });
  expect(answer).toContain("AUTHENTICATIONFAILED");
  expect(performance.now() - since).toBeGreaterThan(1_000);
});

test("stops Dovecot only after all incoming messages are delivered", async () => {
  const group = await aGroup(domain, { posting: "anyone", members: [mailbox] });
  const say = conversation(createConnection(ports.SMTP!, "127.0.0.1"));
  await say(null, "220 ");
  await say("EHLO mx.there.test", "250 ");
  await say("MAIL FROM:<ann@there.test>", "250 ");
  await say(`RCPT TO:<${group.address}>`, "250 ");
  await say("DATA", "354 ");
  const unlock = await lockMessages();
  try {
    const replied = say("From: ann@there.test\r\nSubject: Hello\r\n\r\nHello\r\n.", "250 ");
    await untilBlocked();
    const exited = once(mail, "exit");
    mail.kill("SIGTERM");
    const connect = () => {
      // A connection that is still accepted is reset soon.
      const socket = createConnection(ports.SMTP!, "127.0.0.1").on("error", () => {});
      return once(socket, "connect");
    };
    await vi.waitFor(() => expect(connect()).rejects.toThrow("ECONNREFUSED"), { interval: 20 });
    expect(await imapSignIn(ports.IMAPS!, mailbox)).toMatch(/^OK /);
    unlock();
    await replied;
    expect(await exited).toEqual([0, null]);
  } finally {
    unlock();
  }
});
