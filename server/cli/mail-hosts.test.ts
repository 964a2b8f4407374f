import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { addresses, mailboxMoves, mailHosts } from "#drizzle/schema/index.ts";
import { requestMove } from "#server/core/mailboxes/mail-hosts/moves.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

import { printHosts, printMoves } from "./mail-hosts.ts";

beforeEach(async () => {
  await db().delete(addresses);
  await db().delete(mailHosts);
});

afterEach(() => vi.restoreAllMocks());

/** What a command prints. */
async function printed(command: (json?: boolean) => Promise<void>, json?: boolean) {
  const log = vi.spyOn(console, "log").mockReturnValue();
  await command(json);
  return log.mock.calls.map(([line]) => line as string).join("\n");
}

/** Two mailboxes on mail-1, which are being moved to mail-10. The first one has failed, the second one was switched. */
async function twoMoves() {
  for (const [name, address] of [
    ["mail-1", "192.0.2.1"],
    ["mail-10", "192.0.2.10"],
  ] as const)
    await db().insert(mailHosts).values({ name, address, certificate: "PEM" });
  await db()
    .update(mailHosts)
    .set({ seenAt: sql`clock_timestamp() - interval '2 minutes'` })
    .where(eq(mailHosts.name, "mail-10"));
  const domain = await aDomain((await aCompany()).id);
  const onFirst = { storeHost: "mail-1" };
  const { address: ann } = await aMailbox(domain, onFirst);
  const { address: bob } = await aMailbox(domain, onFirst);
  const actor = { kind: "system", task: "test" } as const;
  for (const address of [ann, bob]) await requestMove({ db: db(), actor }, address, "mail-10");
  const change = async (address: string, values: Partial<typeof mailboxMoves.$inferInsert>) =>
    db().update(mailboxMoves).set(values).where(eq(mailboxMoves.mailbox, address));
  await change(ann, { requestedAt: "2026-11-20T08:00:00Z", problem: "mail-10 doesn't respond" });
  await change(bob, { requestedAt: "2026-11-20T09:00:00Z", switchedAt: "2026-11-20T09:01:00Z" });
  return { ann, bob };
}

test("lists mail hosts with their mailboxes and the moves in progress, in columns", async () => {
  const { ann, bob } = await twoMoves();
  const width = Math.max(ann.length, bob.length);
  const moves = [
    `${ann.padEnd(width)}  mail-1 to mail-10  ${"copying".padEnd(45)}  ` +
      "since 2026-11-20T08:00:00.000Z  mail-10 doesn't respond",
    `${bob.padEnd(width)}  mail-1 to mail-10  copying messages that arrived during the copy  ` +
      "since 2026-11-20T09:00:00.000Z",
  ].join("\n");
  expect(await printed(printHosts)).toBe(
    [
      "mail-1   192.0.2.1   2 mailboxes  running",
      "mail-10  192.0.2.10  0 mailboxes  not responding",
      `\nMailbox moves in progress:\n${moves}`,
    ].join("\n"),
  );
  vi.restoreAllMocks();
  expect(await printed(printMoves)).toBe(moves);
});

test("prints the same as JSON", async () => {
  const { ann, bob } = await twoMoves();
  const route = { from: "mail-1", to: "mail-10" };
  const moves = [
    { mailbox: ann, ...route, stage: "copying", problem: "mail-10 doesn't respond" },
    { mailbox: bob, ...route, stage: "switched", problem: null },
  ];
  expect(JSON.parse(await printed(printMoves, true))).toMatchObject(moves);
  vi.restoreAllMocks();
  expect(JSON.parse(await printed(printHosts, true))).toMatchObject([
    { name: "mail-1", mailboxes: 2, isRunning: true, moves },
    { name: "mail-10", mailboxes: 0, isRunning: false, moves: [] },
  ]);
});

test("says so if there is one host and nothing is moved", async () => {
  expect(await printed(printHosts)).toBe("All mailboxes are on one host");
  vi.restoreAllMocks();
  expect(await printed(printMoves)).toBe("No mailbox moves in progress");
});
