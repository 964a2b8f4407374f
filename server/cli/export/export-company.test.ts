import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type Mailbox, mailboxes } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { collectionsPath, createCollections } from "#server/gateways/calendar-store.ts";
import { appendMessages, openMailbox } from "#server/gateways/dovecot-imap.ts";
import { aCalendarServer, anEvent } from "#server/testing/a-calendar-server.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aDomain, aMailbox, aSuppression } from "#server/testing/factories.ts";
import { aMessage, messagesIn } from "#server/testing/imported-mail.ts";
import { putScript } from "#server/testing/mail-app.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";

import type { ExportManifest } from "./export-company.ts";

const root = mkdtempSync(join(tmpdir(), "posthouse-export-"));
let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});
afterAll(async () => {
  await dovecot.stop();
  rmSync(root, { recursive: true, force: true });
});

/** With a suspended mailbox, which has four messages in three folders, and a Sieve script. */
async function aCompanyWithMail(name: string) {
  const { id } = await aCompany({ name });
  const domain = await aDomain(id);
  const { address } = await aMailbox(domain);
  await aSuppression(id);
  await putScript(dovecot.sieve, address, 'require "fileinto";\nfileinto "Junk";\n');
  const client = await openMailbox(address);
  await appendMessages(client, "INBOX", [
    aMessage(1, { flags: ["\\Seen", "\\Flagged", "$Work"] }),
    aMessage(2),
    // Larger than what is read at a time.
    aMessage(3, { bytes: 11_000_000 }),
  ]);
  await client.mailboxCreate(["Clients", "Zoë v2.0"]);
  await appendMessages(client, "Clients/Zoë v2.0", [aMessage(4, { flags: ["\\Answered"] })]);
  await client.logout();
  const suspendedAt = new Date().toISOString();
  await db().update(mailboxes).set({ suspendedAt }).where(eq(mailboxes.address, address));
  return { id, address };
}

test("exports the records and the mail of a company to a folder", async () => {
  const { id, address } = await aCompanyWithMail("Acme");
  const out = join(root, "acme");
  const ran = await runPosthouse(["export", "--company", "acme", "--out", out, "--json"]);
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(address) as string });
  const { out: path, ...manifest } = JSON.parse(ran.stdout) as ExportManifest & { out: string };
  expect(path).toBe(out);
  expect(manifest).toMatchObject({
    company: { id, name: "Acme" },
    counts: { "data/suppressions.ndjson": 1, "data/mailboxes.ndjson": 1 },
    mailboxes: [{ address, messages: 4 }],
  });
  // Local mode provides no DNS records.
  expect(manifest.counts).not.toHaveProperty(["dns/"]);
  expect(JSON.parse(readFileSync(join(out, "manifest.json"), "utf8"))).toEqual(manifest);
  expect(statSync(out).mode & 0o777).toBe(0o700);
  const script = readFileSync(join(out, `sieve/${address}/own.sieve`), "utf8");
  expect(script).toContain("fileinto");

  const mail = join(out, "mail", address);
  expect(
    readdirSync(mail)
      .filter((name) => !/^(cur|new|tmp)$/.test(name))
      .toSorted(),
  ).toEqual([".Clients.Zo&AOs- v2_0", ".Drafts", ".Junk", ".Sent", ".Trash", "dovecot-keywords"]);
  const files = readdirSync(join(mail, "cur")).toSorted();
  expect(files).toEqual([
    expect.stringMatching(/^1577836861\.U1\.posthouse,S=\d+:2,FSa$/),
    expect.stringMatching(/^1577836922\.U2\.posthouse,S=\d+:2,$/),
    expect.stringMatching(/^1577836983\.U3\.posthouse,S=8\d+:2,$/),
  ] as string[]);
  const last = aMessage(3, { bytes: 11_000_000 }).content.toString().replaceAll("\r\n", "\n");
  expect(readFileSync(join(mail, "cur", files[2]!), "utf8") === last).toBe(true);
  const folders = JSON.parse(readFileSync(`${mail}.folders.json`, "utf8")) as object[];
  expect(folders).toContainEqual({
    name: "Clients/Zoë v2.0",
    path: ".Clients.Zo&AOs- v2_0",
    special_use: null,
    subscribed: true,
    messages: 1,
  });
  // Nothing was marked as read.
  const client = await openMailbox(address);
  expect((await messagesIn(client, "INBOX"))[1]).toMatch(/> {2}2020/);
  await client.logout();
});

test("exports each calendar and address book to a file, and fails if Radicale is down", async () => {
  const { id, address } = await aCompanyWithMail("Gamma");
  const [{ store }] = (await db()
    .select()
    .from(mailboxes)
    .where(eq(mailboxes.address, address))) as [Mailbox];
  const { dataFolder } = config();
  const names = { calendar: "Team & more", contacts: "Contacts" };
  await createCollections(store, () => Promise.resolve(names));
  for (const uid of ["one", "two"]) {
    writeFileSync(join(collectionsPath(store), `calendar/${uid}.ics`), anEvent(uid, uid));
  }
  const card = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:bob\r\nFN:Bob\r\nN:;Bob;;;\r\nEND:VCARD\r\n";
  writeFileSync(join(collectionsPath(store), "contacts/bob.vcf"), card);
  // As an app can name one, or leave it without a type.
  mkdirSync(join(collectionsPath(store), "a?b#c"));
  writeFileSync(
    join(collectionsPath(store), "a?b#c/.Radicale.props"),
    JSON.stringify({ tag: "VCALENDAR", "D:displayname": "Odd" }),
  );
  mkdirSync(join(collectionsPath(store), "untyped"));
  const radicale = await aCalendarServer(dataFolder);
  const out = join(root, "gamma");
  const command = ["export", "--company", id, "--out", out, "--json"];
  const env = { POSTHOUSE_CALENDAR: `unix:${radicale.socketPath}` };
  const ran = await runPosthouse(command, env);
  await radicale.stop();
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(address) as string });
  const { mailboxes: exported } = JSON.parse(ran.stdout) as ExportManifest;
  expect(exported).toMatchObject([
    { address, collections: 3, unreadableCollections: ["untyped.ics"] },
  ]);
  const read = (file: string) => readFileSync(join(out, "calendars", address, file), "utf8");
  const calendar = read("calendar.ics");
  for (const line of [/^X-WR-CALNAME.*:Team & more\r$/m, /^SUMMARY:one\r$/m, /^SUMMARY:two\r$/m])
    expect(calendar).toMatch(line);
  expect(calendar.match(/BEGIN:VCALENDAR/g)).toHaveLength(1);
  expect(read("contacts.vcf")).toContain("FN:Bob\r\n");
  expect(read("a?b#c.ics")).toMatch(/:Odd\r$/m);

  const failed = await runPosthouse([...command.with(4, `${out}2`)], env);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("Radicale") as string });
});

test("writes an archive with mbox files and DKIM keys, or nothing", async () => {
  const { id, address } = await aCompanyWithMail("Beta");
  const out = join(root, "beta.tar.zst");
  const args = ["export", "--company", id, "--out", out, "--mail", "mbox", "--include-dkim-keys"];
  expect(await runPosthouse(args)).toMatchObject({ code: 0 });
  expect(statSync(out).mode & 0o777).toBe(0o600);
  const unpack = (file: string) =>
    execFileSync("tar", ["-xOf", out, "--zstd", `beta/${file}`], { encoding: "utf8" });
  const mail = unpack(`mail/${address}/Clients/Zoë v2.0.mbox`);
  expect(mail).toMatch(/^From MAILER-DAEMON Wed Jan {2}1 00:04:04 2020\n/);
  expect(mail).toContain("Status: O\nX-Status: A\n");
  const { counts } = JSON.parse(unpack("manifest.json")) as ExportManifest;
  expect(counts["dkim-private-keys/"]).toBe(1);
  const readme = unpack("README.txt");
  for (const named of ["dkim-private-keys/", "links that still work"])
    expect(readme).toContain(named);

  await db().update(mailboxes).set({ store: "../elsewhere" }).where(eq(mailboxes.address, address));
  const failed = await runPosthouse([
    "export",
    "--company",
    id,
    "--out",
    join(root, "beta.tar.gz"),
  ]);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(address) as string });
  expect(readdirSync(root).filter((name) => name.startsWith("beta"))).toEqual(["beta.tar.zst"]);
});
