import { hostname } from "node:os";

import { beforeEach, expect, test } from "vitest";

import { processes } from "#drizzle/schema/index.ts";
import type { SearchFacts } from "#server/core/platform/processes/search-facts.ts";
import { changeSetting, listSettings } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";

import { checkSearch } from "./check-search.ts";

beforeEach(async () => {
  await db().delete(processes);
  await changeSetting(db(), "full_text_search", "off");
});

/** What a mail process on a host reports. */
async function report(host: string, facts: Partial<SearchFacts> = {}) {
  const search = { lacks: null, mailboxes: 0, indexed: 0, bytes: 0, errors: [], ...facts };
  await db().insert(processes).values({
    id: crypto.randomUUID(),
    role: "mail",
    host,
    pid: 1,
    version: "1",
    startedAt: new Date().toISOString(),
    aliveUntil: "infinity",
    facts: { search },
  });
}

const turnOn = () => changeSetting(db(), "full_text_search", "on");
const obstacle = async () =>
  (await listSettings(db())).find(({ name }) => name === "full_text_search")!.obstacle;

test("is off by default", async () => {
  await report(hostname());
  expect(await checkSearch(db())).toMatchObject({ state: "ok", found: "Full-text search is off" });
});

test("can't be turned on with Dovecot 2.3 on any host, and says what to do", async () => {
  await report("mail-1");
  await report("mail-2", { lacks: "2.4" });
  const expected = "needs Dovecot 2.4, and mail-2 has 2.3. Upgrade it to Debian 13 or Ubuntu 26.04";
  expect(await obstacle()).toBe(expected);
  await expect(turnOn()).rejects.toThrow(`full_text_search ${expected}`);
  await changeSetting(db(), "full_text_search", "off");
});

test("can't be turned on without the package, and names the command", async () => {
  await report("mail-1", { lacks: "package" });
  await expect(turnOn()).rejects.toThrow(
    "full_text_search needs a package that mail-1 doesn't have. As root on that host, run apt-get install -y --no-install-recommends dovecot-flatcurve and restart Posthouse",
  );
});

test("warns when a host goes back to Dovecot 2.3", async () => {
  await turnOn();
  expect(await obstacle()).toBeNull();
  await report("mail-1", { lacks: "2.4" });
  expect(await checkSearch(db())).toMatchObject({
    state: "warning",
    found: "Full-text search is on, but it needs Dovecot 2.4, and mail-1 has 2.3",
    advice: "Upgrade it to Debian 13 or Ubuntu 26.04",
  });
});

test("shows the progress of all hosts, the size, and mailboxes that can't be indexed", async () => {
  await turnOn();
  await report("mail-1", { mailboxes: 3, indexed: 2, bytes: 5_000_000 });
  await report("mail-2", { mailboxes: 4, indexed: 4, bytes: 1_000_000 });
  expect(await checkSearch(db())).toMatchObject({
    state: "ok",
    found: "6 of 7 mailboxes indexed, 6 MB",
  });
  await report("mail-3", { mailboxes: 1, errors: ["ann@example.com: Permission denied"] });
  expect(await checkSearch(db())).toMatchObject({
    state: "warning",
    found: "6 of 8 mailboxes indexed, 6 MB. Couldn't index ann@example.com: Permission denied",
  });
});
