import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { signIn } from "#server/testing/mail-app.ts";
import { type Appliance, applianceEnv, aReadyAppliance } from "#server/testing/start-appliance.ts";
import { untilJobsDone } from "#server/testing/until-jobs-done.ts";

import { runProgram } from "./mail-programs.ts";

// Runs a whole appliance in local mode with the mail programs that Debian ships. The waits take seconds on an
// idle machine.
vi.setConfig({ hookTimeout: 300_000 });

const folder = mkdtempSync(join(tmpdir(), "posthouse-mail-apps-"));
const dataFolder = join(folder, "data");
const ANN = "ann@posthouse.localhost";
const BOB = "bob@posthouse.localhost";
const PASSWORD = "a long enough phrase";

let appliance: Appliance;
let apiKey: string;

beforeAll(async () => {
  appliance = await aReadyAppliance(await applianceEnv(dataFolder));
  ({ apiKey } = appliance.secrets());
  for (const address of [ANN, BOB]) {
    const temporary = await createMailbox(address);
    await choosePassword(address, temporary);
  }
  // Five seconds after a change of password, the worker ends the mailbox's sessions again, new ones too.
  await untilJobsDone(dataFolder, "end_mail_sessions");
});

afterAll(async () => {
  await appliance.stop();
  rmSync(folder, { recursive: true, force: true });
});

const port = (name: string) => Number(appliance.env[`${name}_PORT`]);
const web = (path: string) => `http://127.0.0.1:${appliance.env.PORT!}${path}`;

async function createMailbox(email: string): Promise<string> {
  const answer = await fetch(web("/mailboxes"), {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ email, name: email.split("@")[0] }),
  });
  const body = (await answer.json()) as { temporary_password: string };
  expect(answer.status).toBe(200);
  return body.temporary_password;
}

/** Like the page at /account. */
async function choosePassword(email: string, temporary: string): Promise<void> {
  const post = (path: string, body: unknown, cookie = "") =>
    fetch(web(`/account/api/${path}`), {
      method: "POST",
      headers: { "content-type": "application/json", origin: web(""), cookie },
      body: JSON.stringify(body),
    });
  const signedIn = await post("sessions/signIn", { address: email, password: temporary });
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
  const changed = await post(
    "sessions/changePassword",
    { currentPassword: temporary, password: PASSWORD },
    cookie,
  );
  expect(changed.status).toBe(200);
}

/** The subjects of a folder's messages. */
async function subjectsOf(address: string, path = "INBOX"): Promise<string[]> {
  return withApp(address, async (app) => {
    await app.mailboxOpen(path);
    const messages = await app.fetchAll("1:*", { envelope: true }).catch(() => []);
    return messages.map(({ envelope }) => envelope?.subject ?? "");
  });
}

async function withApp<T>(address: string, work: (app: ImapFlow) => Promise<T>): Promise<T> {
  const app = await signIn(port("IMAPS"), address, {
    password: PASSWORD,
    secure: true,
    tls: { rejectUnauthorized: false },
  });
  try {
    return await work(app);
  } finally {
    await app.logout();
  }
}

const untilArrived = (address: string, subject: string) =>
  expect.poll(() => subjectsOf(address), { timeout: 30_000 }).toContain(subject);

const messageOf = (subject: string) =>
  `From: Ann <${ANN}>\r\nTo: <${BOB}>\r\nSubject: ${subject}\r\n\r\nHello Bob.\r\n`;

describe("sending", () => {
  test("swaks, with STARTTLS on the submission port", async () => {
    const { code, output } = await runProgram("swaks", [
      "--server",
      "127.0.0.1",
      "--port",
      String(port("SUBMISSION")),
      "-tls",
      "--auth",
      "PLAIN",
      "--auth-user",
      ANN,
      "--auth-password",
      PASSWORD,
      "--from",
      ANN,
      "--to",
      BOB,
      "--header",
      "Subject: By swaks",
    ]);
    expect(output).toContain("<~  250");
    expect(code).toBe(0);
    await untilArrived(BOB, "By swaks");
  });

  test("msmtp, with implicit TLS", async () => {
    const file = join(folder, "msmtprc");
    writeFileSync(
      file,
      [
        "account default",
        "host 127.0.0.1",
        `port ${port("SUBMISSIONS")}`,
        "auth plain",
        "tls on",
        "tls_starttls off",
        "tls_certcheck off",
        `user ${ANN}`,
        `from ${ANN}`,
        `password "${PASSWORD}"`,
        "",
      ].join("\n"),
      { mode: 0o600 },
    );
    const ran = await runProgram("msmtp", ["-C", file, BOB], { input: messageOf("By msmtp") });
    expect(ran).toEqual({ code: 0, output: "" });
    await untilArrived(BOB, "By msmtp");
  });

  test("mutt, with its own SMTP client", async () => {
    const url = `smtps://${encodeURIComponent(ANN)}@127.0.0.1:${port("SUBMISSIONS")}`;
    const file = join(folder, "muttrc");
    writeFileSync(
      file,
      [
        `set smtp_url="${url}"`,
        `set smtp_pass="${PASSWORD}"`,
        `set from="${ANN}"`,
        "set ssl_verify_host=no",
        "set ssl_verify_dates=no",
        `set certificate_file="${certificateFile()}"`,
        "set copy=no",
        "",
      ].join("\n"),
    );
    const { code, output } = await runProgram("mutt", ["-F", file, "-s", "By mutt", BOB], {
      input: "Hello Bob.\n",
      env: { HOME: folder },
    });
    expect(output).not.toMatch(/error|fail/i);
    expect(code).toBe(0);
    await untilArrived(BOB, "By mutt");
  });

  test("curl with an API key sends an email of the API", async () => {
    const file = join(folder, "message.eml");
    writeFileSync(file, messageOf("By curl").replace(ANN, "post@posthouse.localhost"));
    const { code } = await runProgram("curl", [
      "-sS",
      "-k",
      "--url",
      `smtps://127.0.0.1:${port("SUBMISSIONS")}`,
      "--user",
      `posthouse:${apiKey}`,
      "--mail-from",
      "post@posthouse.localhost",
      "--mail-rcpt",
      BOB,
      "--upload-file",
      file,
    ]);
    expect(code).toBe(0);
    await untilArrived(BOB, "By curl");
    // The event is written after the delivery.
    await vi.waitFor(
      async () => {
        const answer = await fetch(web("/emails?limit=1"), {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        const { data } = (await answer.json()) as { data: object[] };
        expect(data[0]).toMatchObject({ subject: "By curl", last_event: "delivered" });
      },
      { interval: 100 },
    );
  });

  test("nodemailer, with a connection pool", async () => {
    const transport = createTransport({
      pool: true,
      host: "127.0.0.1",
      port: port("SUBMISSION"),
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: ANN, pass: PASSWORD },
    });
    await Promise.all(
      [1, 2, 3].map((n) =>
        transport.sendMail({ from: ANN, to: BOB, subject: `By nodemailer ${n}`, text: "Hello" }),
      ),
    );
    transport.close();
    for (const n of [1, 2, 3]) await untilArrived(BOB, `By nodemailer ${n}`);
  });
});

describe("reading", () => {
  test("curl lists folders and fetches a message", async () => {
    const url = `imaps://127.0.0.1:${port("IMAPS")}`;
    const options = ["-sS", "-k", "--user", `${BOB}:${PASSWORD}`];
    const { output: folders } = await runProgram("curl", [...options, `${url}/`]);
    for (const name of ["INBOX", "Drafts", "Sent", "Junk", "Trash"])
      expect(folders).toContain(name);
    await deliver("For curl");
    const found = await runProgram("curl", [...options, `${url}/INBOX?SUBJECT%20%22For%20curl%22`]);
    const [, uid] = /\* SEARCH (\d+)/.exec(found.output) ?? [];
    const { output } = await runProgram("curl", [...options, `${url}/INBOX;MAILINDEX=${uid!}`]);
    expect(output).toContain("Subject: For curl");
  });

  test("mbsync synchronizes a folder in both directions", async () => {
    await deliver("For mbsync");
    const maildir = join(folder, "maildir/");
    mkdirSync(maildir);
    const file = join(folder, "mbsyncrc");
    writeFileSync(
      file,
      [
        "IMAPAccount posthouse",
        "Host 127.0.0.1",
        `Port ${port("IMAPS")}`,
        `User ${BOB}`,
        `Pass "${PASSWORD}"`,
        "SSLType IMAPS",
        "AuthMechs LOGIN",
        `CertificateFile ${certificateFile()}`,
        "",
        "IMAPStore far",
        "Account posthouse",
        "",
        "MaildirStore near",
        `Path ${maildir}`,
        `Inbox ${maildir}INBOX`,
        "",
        "Channel all",
        "Far :far:",
        "Near :near:",
        "Patterns INBOX",
        "Create Near",
        "Sync All",
        "Expunge Both",
        "SyncState *",
        "",
      ].join("\n"),
    );
    const sync = async () => {
      const ran = await runProgram("mbsync", ["-c", file, "-a"], { env: { HOME: folder } });
      expect(ran.code, ran.output).toBe(0);
    };
    const near = () =>
      ["new", "cur"].flatMap((part) =>
        readdirSync(join(maildir, "INBOX", part)).map((name) => join(maildir, "INBOX", part, name)),
      );
    const subjectIn = (path: string) =>
      /^Subject: (.*?)\r?$/m.exec(readFileSync(path, "utf8"))?.[1];

    await sync();
    expect(near().map(subjectIn).sort()).toEqual((await subjectsOf(BOB)).sort());
    rmSync(near().find((path) => subjectIn(path) === "For mbsync")!);
    writeFileSync(
      join(maildir, "INBOX/new/1.from.here"),
      messageOf("From mbsync").replaceAll("\r", ""),
    );
    await sync();
    const subjects = await subjectsOf(BOB);
    expect(subjects).toContain("From mbsync");
    expect(subjects).not.toContain("For mbsync");
  });

  test("an app in IDLE is notified of new mail immediately", async () => {
    await withApp(BOB, async (app) => {
      await app.mailboxOpen("INBOX");
      const heard = once(app, "exists", { signal: AbortSignal.timeout(60_000) });
      void app.idle();
      await deliver("For who waits");
      expect(await heard).toMatchObject([{ path: "INBOX" }]);
    });
  });
});

/** Sends from Ann to Bob and waits for the message. */
async function deliver(subject: string): Promise<void> {
  const transport = createTransport({
    host: "127.0.0.1",
    port: port("SUBMISSIONS"),
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: ANN, pass: PASSWORD },
  });
  await transport.sendMail({ from: ANN, to: BOB, subject, text: "Hello" });
  transport.close();
  await untilArrived(BOB, subject);
}

/** The appliance's own certificate, for programs that verify it. */
function certificateFile(): string {
  const file = join(folder, "certificate.pem");
  const pem = readFileSync(join(dataFolder, "tls/self-signed.pem"), "utf8");
  writeFileSync(file, /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----\n?/.exec(pem)![0]);
  return file;
}
