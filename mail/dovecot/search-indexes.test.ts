// cspell:ignore überweis überweisung αθηνα ΑΘΗΝΑ
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import type { ImapFlow } from "imapflow";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import type { Mailbox } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { createUnit, ensureRootUnit, setPolicies } from "#server/core/mailboxes/org-units/units.ts";
import { setShare } from "#server/core/mailboxes/shares/shares.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { findDovecot } from "#server/gateways/find-dovecot.mjs";
import { INDEX_FOLDER, INDEX_MARK, mailStorePath } from "#server/gateways/mail-store.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

import { yieldToOthers } from "./search-indexes.ts";

const { hasSearch } = await findDovecot();

let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await aDovecot({ indexEveryMs: 50 });
  config().dataFolder = dovecot.dataFolder;
});
afterAll(() => dovecot.stop());

let domain: Awaited<ReturnType<typeof aDomain>>;
let ctx: ReturnType<typeof aContext>;
let mailbox: Mailbox;
beforeEach(async () => {
  await changeSetting(db(), "full_text_search", "off");
  domain = await aDomain((await aCompany()).id);
  ctx = aContext(domain.companyId);
  mailbox = await aMailbox(domain);
});

const turnOn = () => changeSetting(db(), "full_text_search", "on");
const home = ({ store }: Mailbox) => mailStorePath(store, dovecot.dataFolder);
const folderOf = (owner: Mailbox) => join(home(owner), "sdbox/mailboxes/INBOX/dbox-Mails");
const hasIndex = (owner: Mailbox) => existsSync(join(folderOf(owner), INDEX_FOLDER));
const untilIndexed = (owner: Mailbox) => vi.waitFor(() => expect(hasIndex(owner)).toBe(true));
const untilDropped = (owner: Mailbox) => vi.waitFor(() => expect(hasIndex(owner)).toBe(false));

const mark = async () =>
  JSON.parse(await readFile(join(home(mailbox), INDEX_MARK), "utf8")) as object;

async function deliverTo({ address }: Mailbox, text = "Your invoice for the yellow bicycle") {
  const reply = await deliver(dovecot.lmtpSocket, address, `Subject: Hello\r\n\r\n${text}\r\n`);
  expect(reply).toMatch(/^250 /);
}

async function withInbox<T>(
  owner: Mailbox,
  use: (app: ImapFlow) => Promise<T>,
  folder = "INBOX",
): Promise<T> {
  const app = await signIn(dovecot.imap, owner.address);
  try {
    await app.mailboxOpen(folder);
    return await use(app);
  } finally {
    app.close();
  }
}

/** How many messages a mail app finds. */
const find = (owner: Mailbox, body: string, folder?: string) =>
  withInbox(owner, async (app) => ((await app.search({ body })) || []).length, folder);

test("without the setting, a search finds any part of a text", async () => {
  await deliverTo(mailbox);
  expect(await find(mailbox, "voice")).toBe(1);
  expect(hasIndex(mailbox)).toBe(false);
});

test("indexing runs in one of ten slots while the machine is busy", () => {
  vi.useFakeTimers();
  try {
    const signals: string[] = [];
    const slots = (count: number) => {
      signals.length = 0;
      vi.advanceTimersByTime(count * 100);
      return signals.map((name) => name.replace("SIG", "")).join(" ");
    };
    const times = { busy: 0, all: 0 };
    let share = 0;
    const end = yieldToOthers(
      (name) => signals.push(name),
      () => ({ busy: (times.busy += share), all: ++times.all }),
    );
    expect(slots(2)).toBe("CONT CONT");
    share = 0.5;
    expect(slots(9)).toBe("STOP STOP STOP STOP STOP STOP STOP CONT STOP");
    share = 0.3;
    expect(slots(1)).toBe("CONT");
    share = 0.5;
    expect(slots(1)).toBe("STOP");
    signals.length = 0;
    end();
    expect(signals).toEqual(["SIGCONT"]);
    expect(slots(1)).toBe("");
  } finally {
    vi.useRealTimers();
  }
});

test("reports what this host lacks", () => {
  expect(dovecot.running.search().lacks).toBe(hasSearch ? null : "2.4");
});

function withTheSetting() {
  test("indexes existing mail in the background, and finds beginnings of words in any order", async () => {
    await deliverTo(mailbox);
    await turnOn();
    await untilIndexed(mailbox);
    expect(await find(mailbox, "yell")).toBe(1);
    expect(await find(mailbox, "bicycle invoice")).toBe(1);
    expect(await find(mailbox, "voice")).toBe(0);
    expect(await find(mailbox, "INVOICE")).toBe(1);
    await vi.waitFor(() =>
      // Also the mailbox of the test before, whose unit has the policy's default.
      expect(dovecot.running.search()).toMatchObject({ indexed: 2, mailboxes: 2, errors: [] }),
    );
    expect(dovecot.running.search().bytes).toBeGreaterThan(1_000);
  });

  test("a search finds mail that isn't indexed yet, and indexes it", async () => {
    await deliverTo(mailbox);
    await turnOn();
    await untilIndexed(mailbox);
    await deliverTo(mailbox, "A green bicycle");
    expect(await find(mailbox, "bicycle")).toBe(2);
    expect(await find(mailbox, "ree")).toBe(0);
  });

  test("finds letters of other languages whatever their case, addresses, and headers", async () => {
    await deliverTo(mailbox, "Überweisung Café ΑΘΗΝΑ naïve 日本語 ann@example.com");
    await turnOn();
    await untilIndexed(mailbox);
    for (const text of ["überweis", "café", "αθηνα", "日本", "ann@example.com"])
      expect([text, await find(mailbox, text)]).toEqual([text, 1]);
    expect(await withInbox(mailbox, (app) => app.search({ subject: "hell" }))).toEqual([1]);
    expect(
      await withInbox(mailbox, (app) => app.search({ or: [{ from: "x" }, { body: "caf" }] })),
    ).toEqual([1]);
  });

  test("an import of many messages is indexed at once", async () => {
    await deliverTo(mailbox);
    await turnOn();
    await vi.waitFor(async () => expect(await mark()).toMatchObject({ had: { messages: 1 } }));
    await withInbox(mailbox, async (app) => {
      for (let i = 0; i < 100; i++)
        await app.append("INBOX", Buffer.from(`Subject: Imported ${i}\r\n\r\nword${i}\r\n`));
    });
    await vi.waitFor(async () => expect(await mark()).toMatchObject({ had: { messages: 101 } }));
    expect(await find(mailbox, "word77")).toBe(1);
  });

  test("a unit's policy turns it off for its mailboxes only, also in open sessions", async () => {
    const theirs = await aMailbox(await aDomain((await aCompany()).id));
    const sales = await createUnit(ctx, { parentId: await ensureRootUnit(ctx), name: "Sales" });
    const inSales = await aMailbox(domain, { orgUnitId: sales });
    for (const each of [mailbox, inSales, theirs]) await deliverTo(each);
    await turnOn();
    for (const each of [mailbox, inSales, theirs]) await untilIndexed(each);
    const app = await signIn(dovecot.imap, inSales.address);
    const closed = once(app, "close");

    await setPolicies(ctx, sales, { fullTextSearch: "off" });
    await untilDropped(inSales);
    await closed;
    expect(await find(inSales, "voice")).toBe(1);
    expect(hasIndex(inSales)).toBe(false);
    for (const each of [mailbox, theirs]) expect(await find(each, "voice")).toBe(0);
    await setPolicies(ctx, await ensureRootUnit(ctx), { fullTextSearch: "off" });
    await untilDropped(mailbox);
    expect(await find(theirs, "voice")).toBe(0);
  });

  test("turning it off removes all indexes", async () => {
    await deliverTo(mailbox);
    await turnOn();
    await untilIndexed(mailbox);
    await changeSetting(db(), "full_text_search", "off");
    await untilDropped(mailbox);
    await vi.waitFor(async () =>
      expect(await readdir(home(mailbox))).not.toContain("search-index.json"),
    );
    expect(await find(mailbox, "voice")).toBe(1);
  });

  test("a search in a shared mailbox finds its mail", async () => {
    const viewer = await aMailbox(domain);
    const owner = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
    await deliverTo(mailbox);
    await setShare(ctx, owner, mailbox.address, {
      member: viewer.address,
      access: "read",
      sendAs: false,
    });
    await turnOn();
    await untilIndexed(mailbox);
    const shared = `Shared mailboxes/${mailbox.address}/INBOX`;
    expect(await find(viewer, "invoice", shared)).toBe(1);
    await deliverTo(mailbox, "A green bicycle");
    expect(await find(viewer, "bicycle", shared)).toBe(2);
  });

  test("a mailbox restored from a backup is indexed again", async () => {
    await deliverTo(mailbox);
    await turnOn();
    await untilIndexed(mailbox);
    const folder = await mkdtemp(join(tmpdir(), "posthouse-restored-"));
    await cp(join(dovecot.dataFolder, "mail"), join(folder, "mail"), {
      recursive: true,
      // As in a backup (server/backup/copy-mail.test.ts).
      filter: (path) => ![INDEX_FOLDER, INDEX_MARK].includes(basename(path)),
    });
    const store = mailStorePath(mailbox.store, folder);
    const index = join(store, "sdbox/mailboxes/INBOX/dbox-Mails", INDEX_FOLDER);
    const restored = await aDovecot({ givenFolder: folder, indexEveryMs: 50 });
    await vi.waitFor(() => expect(existsSync(index)).toBe(true));
    await restored.stop();
  });

  test("indexes are optimized at night", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-12-01T02:30:00Z") });
    await deliverTo(mailbox);
    await turnOn();
    await vi.waitFor(async () => expect(await mark()).toMatchObject({ isOptimized: false }));
    vi.setSystemTime(new Date("2026-12-01T03:30:00Z"));
    await vi.waitFor(async () => expect(await mark()).toMatchObject({ isOptimized: true }));
    vi.useRealTimers();
    expect(await find(mailbox, "bicycle")).toBe(1);
  });

  test("expunged messages are no longer found", async () => {
    await deliverTo(mailbox);
    await turnOn();
    await untilIndexed(mailbox);
    expect(await find(mailbox, "bicycle")).toBe(1);
    await withInbox(mailbox, (app) => app.messageDelete("1:*"));
    expect(await find(mailbox, "bicycle")).toBe(0);
  });
}

// 2.3 has no index: `npm test -- --only dovecot-2.4` runs these.
if (hasSearch) describe("with the setting", withTheSetting);
