import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import type { ImapFlow } from "imapflow";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { collectionsPath } from "#server/gateways/calendar-store.ts";
import { clusterFolder } from "#server/postgres/cluster.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { mailboxContent } from "#server/testing/mailbox-content.ts";
import { signIn } from "#server/testing/mail-app.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";
import { anSmtpSink, type SmtpSink } from "#server/testing/smtp-sink.ts";
import {
  type Appliance,
  applianceEnv,
  descendantsOf,
  runningOf,
  sendBatch,
  aReadyAppliance,
} from "#server/testing/start-appliance.ts";

// One appliance: the tests build on each other.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 600_000 });

const YOU = "you@posthouse.localhost";
const folder = mkdtempSync(join(tmpdir(), "posthouse-backup-"));
const dataFolder = join(folder, "data");
const repository = join(folder, "repository");
let appliance: Appliance;
let sink: SmtpSink;
let recoveryKey: string;

beforeAll(async () => {
  sink = await anSmtpSink({ replyDelayMs: 20 });
  const relay = { POSTHOUSE_RELAY_URL: `smtp://127.0.0.1:${sink.port}` };
  appliance = await aReadyAppliance({ ...(await applianceEnv(dataFolder)), ...relay });
});

afterAll(async () => {
  await appliance.stop();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

async function withApp<T>(work: (app: ImapFlow) => Promise<T>): Promise<T> {
  const app = await signIn(Number(appliance.env.IMAPS_PORT), YOU, {
    password: appliance.secrets().password,
    secure: true,
    tls: { rejectUnauthorized: false },
  });
  try {
    return await work(app);
  } finally {
    await app.logout();
  }
}

/** Submits emails, each to an outside address and to the mailbox. Returns the status. */
const sendEmails = (subjects: string[]): Promise<number> =>
  sendBatch(
    appliance,
    subjects.map((subject) => ({
      from: "shop@posthouse.localhost",
      to: [`${subject}@example.com`, YOU],
      subject,
      text: "Thank you.",
    })),
  );

const contentNow = () => withApp(mailboxContent);

const messageOf = (subject: string) =>
  `From: <${YOU}>\r\nTo: <${YOU}>\r\nSubject: ${subject}\r\n\r\nHello.\r\n`;

const outside = () =>
  new Set(sink.messages.flatMap(({ recipients }) => recipients.map((to) => to.split("@")[0]!)));

/** The calendar of the mailbox. */
const ownCalendar = join(collectionsPath("posthouse.localhost/you", dataFolder), "calendar");

test("restores a data folder that was destroyed under load, with UIDs, flags and queued emails", async () => {
  await withApp(async (app) => {
    await app.mailboxCreate("Projects/2026");
    for (const [subject, flags] of [
      ["plain", []],
      ["deleted later", []],
      ["read", ["\\Seen", "\\Flagged"]],
      ["labeled", ["$Important", "\\Answered"]],
    ] as const)
      await app.append("Projects/2026", messageOf(subject), [...flags]);
    await app.append("INBOX", messageOf("kept"), ["\\Seen"]);
    // Named like a file that isn't stored.
    await app.mailboxCreate(".new-year");
    await app.append(".new-year", messageOf("party"));
    await app.mailboxOpen("Projects/2026");
    await app.messageDelete({ subject: "deleted later" });
  });
  const before = await contentNow();
  expect(before["Projects/2026"]).toHaveLength(3);
  expect(before[".new-year"]).toHaveLength(1);
  const databases = [aDatabase(SPAM, "casino"), aDatabase("webmail/roundcube.db", "signature")];

  const events = join(dataFolder, "calendars/collections/collection-root/ann@a.example/calendar");
  mkdirSync(join(events, ".Radicale.cache"), { recursive: true });
  writeFileSync(join(events, "a.ics"), "BEGIN:VCALENDAR");
  mkdirSync(ownCalendar, { recursive: true });
  writeFileSync(join(ownCalendar, "own.ics"), "BEGIN:VCALENDAR");
  const owned = ["--reference", join(dataFolder, "keys"), join(dataFolder, "calendars")];
  execFileSync("chown", ["-R", ...owned]);

  const accepted = Array.from({ length: 50 }, (_, i) => `early-${i}`);
  expect(await sendEmails(accepted)).toBe(200);
  let sent = 0;
  let isUp = true;
  const load = (async () => {
    while (isUp) {
      await sendEmails([`late-${sent}`]).then(
        () => (sent += 1),
        () => (isUp = false),
      );
      await sleep(150);
    }
  })();

  const backup = await runPosthouse(
    ["backup", "--to", repository, "--json"],
    appliance.env,
    // A folder that the service user can't enter.
    process.getuid!() === 0 ? ["env", "-C", "/root"] : [],
  );
  for (const database of databases) database.close();
  expect(backup, backup.stderr).toMatchObject({ code: 0 });
  const report = JSON.parse(backup.stdout) as { proof: string; recoveryKey: string };
  expect(report.proof).toMatch(
    /ledger exact \([\d,]+ recipients?\), keys usable, [\d,]+ messages? stored/,
  );
  ({ recoveryKey } = report);
  expect(readdirSync(join(dataFolder, "mail"))).not.toContain(".backup");
  expect(existsSync(join(dataFolder, "backup/proof"))).toBe(false);

  const pids = await descendantsOf(appliance.process.pid!);
  appliance.process.kill("SIGKILL");
  await appliance.exited;
  await load;
  await expect.poll(() => runningOf(pids), { timeout: 30_000 }).toEqual([]);
  expect(sent).toBeGreaterThan(10);
  rmSync(dataFolder, { recursive: true });

  const restoreWith = (key: string) =>
    runPosthouse(["restore", "--from", repository], {
      ...appliance.env,
      POSTHOUSE_BACKUP_KEY: key,
    });
  const failed = await restoreWith("wrong");
  expect(failed.stderr).toContain("✗ Restore: The recovery key doesn't open this repository");
  // Nothing new takes the place of what was lost.
  const empty = startEmbeddedPostgres({ folder: clusterFolder(dataFolder) });
  await expect(empty).rejects.toThrow("wasn't completed. Run posthouse restore again");
  const restore = await restoreWith(recoveryKey);
  expect(restore, restore.stderr).toMatchObject({ code: 0 });
  for (const name of ["webmail", "calendar"])
    expect(restore.stdout).toContain(
      `To turn it on: sudo posthouse ${name} enable && sudo systemctl restart posthouse.`,
    );
  expect(wordsIn(SPAM)).toEqual([{ words: "casino" }]);
  expect(wordsIn("webmail/restored.db")).toEqual([{ words: "signature" }]);
  expect(readdirSync(events)).toEqual(["a.ics"]);
  appliance = await aReadyAppliance(appliance.env);
  // Its record was stored before its end, but this restore proves it.
  const metrics = await fetch(`http://127.0.0.1:${appliance.env.PORT!}/metrics`);
  expect(await metrics.text()).toMatch(/^posthouse_backup_proved_age_seconds \d/m);

  const after = await contentNow();
  for (const [path, messages] of Object.entries(before))
    expect(after[path]).toEqual(expect.arrayContaining(messages));
  expect(after["Projects/2026"]).toEqual(before["Projects/2026"]);
  // At least once: what was queued at the time of the backup is delivered again.
  const subjects = async () =>
    new Set((await contentNow()).INBOX!.map((line) => line.split(" ").at(-1)));
  await expect.poll(outside, { timeout: 60_000 }).toEqual(expect.toSatisfy(hasAll(accepted)));
  await expect.poll(subjects, { timeout: 60_000 }).toEqual(expect.toSatisfy(hasAll(accepted)));
  const ledger = await runPosthouse(["ledger"], appliance.env);
  expect(ledger, ledger.stdout).toMatchObject({ code: 0 });
});

const SPAM = "rspamd/state/spam.sqlite";

/** Like those of rspamd and Roundcube: in use, with rows that are only in the write-ahead log. */
function aDatabase(path: string, word: string): DatabaseSync {
  const file = join(dataFolder, path);
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = wal; create table learned (words text)");
  database.exec(
    `insert into learned values ('${word}'); begin; insert into learned values ('half')`,
  );
  return database;
}

function wordsIn(path: string) {
  using database = new DatabaseSync(join(dataFolder, path));
  return database.prepare("select words from learned").all();
}

const hasAll = (wanted: string[]) => (found: Set<string>) =>
  wanted.every((each) => found.has(each));

test("adds the old mail of one mailbox, or one folder, to the running appliance", async () => {
  const before = await contentNow();
  await withApp((app) => app.mailboxDelete("Projects/2026"));
  const more = ["--mailbox", YOU, "--from", repository, "--folder", "Projects/2026", "--json"];
  const { code, stdout, stderr } = await runPosthouse(["restore", ...more], appliance.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { messages, into } = JSON.parse(stdout) as { messages: number; into: string };
  expect({ messages, into }).toEqual({
    messages: 3,
    into: expect.stringMatching(/^Restored 20/) as string,
  });
  const after = await contentNow();
  const textOf = (lines: string[]) => lines.map((line) => line.split(" ").slice(2).join(" "));
  expect(textOf(after[`${into}/Projects/2026`]!)).toEqual(textOf(before["Projects/2026"]!));
  expect(after.INBOX).toEqual(expect.arrayContaining(before.INBOX!));
});

test("makes a mailbox what it was at a time", async () => {
  const at = new Date().toISOString();
  const wanted = ["--mailbox", YOU, "--from", repository, "--replace"];
  const early = await runPosthouse(["restore", ...wanted, "--at", "2026-01-01"], appliance.env);
  expect(early.stderr).toContain('No backup matches "2026-01-01". The first one is from 20');
  await withApp((app) => app.append("INBOX", messageOf("newer")));
  rmSync(join(ownCalendar, "own.ics"));
  const { code, stdout, stderr } = await runPosthouse(
    ["restore", ...wanted, "--at", at],
    appliance.env,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("into the mailbox, and 1 calendar or address book");
  expect(readFileSync(join(ownCalendar, "own.ics"), "utf8")).toBe("BEGIN:VCALENDAR");
  const { INBOX = [], ...others } = await contentNow();
  expect(INBOX.join()).toContain("kept");
  expect(INBOX.join()).not.toContain("newer");
  expect(Object.keys(others)).toContain("Projects/2026");
  expect(Object.keys(others).join()).not.toContain("Restored");
});

test("a backup with a message that Dovecot can't read isn't verified", async () => {
  const domain = join(dataFolder, "mail/posthouse.localhost");
  const messages = readdirSync(domain, { recursive: true, encoding: "utf8" })
    .filter((path) => /INBOX\/dbox-Mails\/u\.\d+$/.test(path))
    .toSorted((a, b) => Number(a.split("u.").at(-1)) - Number(b.split("u.").at(-1)));
  truncateSync(join(domain, messages[0]!), 10);
  const { code, stderr } = await runPosthouse(["backup", "--to", repository], appliance.env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^✗ Verification: The restored copy failed a check: /m);
});

test("a folder with data is not replaced unless asked", async () => {
  const other = join(folder, "other");
  mkdirSync(join(other, "mail/example.com"), { recursive: true });
  const env = { ...appliance.env, POSTHOUSE_DATA: other, POSTHOUSE_BACKUP_KEY: recoveryKey };
  const { code, stderr } = await runPosthouse(["restore", "--from", repository], env);
  expect(code).toBe(1);
  expect(stderr).toContain("already has data");
  expect(existsSync(join(other, "mail/example.com"))).toBe(true);

  const listed = await runPosthouse(["restore", "--list", "--from", repository, "--json"], env);
  const [{ id }] = JSON.parse(listed.stdout) as [{ id: string }];
  const which = ["--from", repository, "--at", id.slice(0, 8), "--replace", "--json"];
  const replaced = await runPosthouse(["restore", ...which], env);
  expect(replaced, replaced.stderr).toMatchObject({ code: 0 });
  const { previous } = JSON.parse(replaced.stdout) as { previous: string };
  expect(existsSync(join(previous, "mail/example.com"))).toBe(true);
  expect(readdirSync(join(other, "mail"))).toEqual(["posthouse.localhost"]);
});
