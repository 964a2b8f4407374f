import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";

import {
  addresses,
  auditEntries,
  mailboxes,
  mailboxMoves,
  mailboxUsage,
  mailHosts,
  removedStores,
} from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

import { chooseMailHost, joinMailHosts, requireNoMailHosts } from "./mail-hosts.ts";
import {
  findMove,
  finishMove,
  isStoreExpected,
  recordCopied,
  recordMoveProblem,
  requestMove,
  switchHost,
} from "./moves.ts";

let dataFolder: string;
beforeEach(async () => {
  await db().delete(addresses);
  await db().delete(mailHosts);
  dataFolder = await mkdtemp(join(tmpdir(), "posthouse-join-"));
});
afterEach(() => rm(dataFolder, { recursive: true }));

const joinAs = (name: string) =>
  joinMailHosts(db(), { name, address: "127.0.0.1", certificate: "PEM" }, dataFolder);
const aStoredMailbox = async (storeHost: string | null = null) =>
  aMailbox(await aDomain((await aCompany()).id), { storeHost });
const hostOf = async (address: string) => {
  const [row] = await db().select().from(mailboxes).where(eq(mailboxes.address, address));
  return row!.storeHost;
};

test("the first mail host takes over all mailboxes, also if two start at once", async () => {
  const { address } = await aStoredMailbox();
  await requireNoMailHosts(db());
  await Promise.all([joinAs("mail-1"), joinAs("mail-2")]);
  const host = await hostOf(address);
  expect(["mail-1", "mail-2"]).toContain(host);
  await Promise.all([joinAs("mail-1"), joinAs("mail-2")]);
  expect(await hostOf(address)).toBe(host);
  await expect(requireNoMailHosts(db())).rejects.toThrow("The mailboxes are on mail-1, mail-2");
});

test("a host without the mail can't be the first one, and later ones don't take it over", async () => {
  const { address, store } = await aStoredMailbox();
  await db().insert(mailboxUsage).values({ address, usedBytes: 1, messages: 1 });
  await expect(joinAs("empty")).rejects.toThrow(
    `The mail of 1 mailbox, such as ${address}, isn't in ${dataFolder}`,
  );
  expect(await db().$count(mailHosts)).toBe(0);
  await db().insert(mailHosts).values({ name: "first", address: "127.0.0.1", certificate: "PEM" });
  await joinAs("empty");
  expect(await hostOf(address)).toBeNull();
  await mkdir(join(dataFolder, "mail", store), { recursive: true });
  await joinAs("first");
  expect(await hostOf(address)).toBe("first");
});

test("a new mailbox is stored on the running host with the fewest", async () => {
  expect(await chooseMailHost(db())).toBeNull();
  for (const name of ["mail-1", "mail-2", "mail-3"]) await joinAs(name);
  await aStoredMailbox("mail-1");
  expect(await chooseMailHost(db())).toBe("mail-2");
  await db()
    .update(mailHosts)
    .set({ seenAt: sql`clock_timestamp() - interval '2 minutes'` })
    .where(eq(mailHosts.name, "mail-2"));
  expect(await chooseMailHost(db())).toBe("mail-3");
});

const actor = { kind: "operator", email: "olga@operator.example" } as const;
const request = (address: string, host: string) => requestMove({ db: db(), actor }, address, host);

/** The mailbox, on the first one of three hosts. */
async function aMovableMailbox() {
  for (const name of ["mail-1", "mail-2", "mail-3"]) await joinAs(name);
  return aStoredMailbox("mail-1");
}

/** The hosts that delete a copy. */
async function removalsOf(store: string) {
  const rows = await db().select().from(removedStores).where(eq(removedStores.store, store));
  return rows.map(({ storeHost }) => storeHost);
}

test("a move switches once, and can be replaced or canceled only before", async () => {
  const { address, store } = await aMovableMailbox();
  await expect(request("none@example.com", "mail-2")).rejects.toThrow(
    "Mailbox none@example.com not found",
  );
  await expect(request(address, "mail-4")).rejects.toThrow(
    "Mail host mail-4 not found. Mail hosts: mail-1, mail-2, mail-3",
  );
  await request(address, "mail-2");
  const replaced = (await findMove(db(), address))!;
  await request(address.toUpperCase(), "mail-2");
  expect(await findMove(db(), address)).toEqual(replaced);
  await request(address, "mail-3");
  expect(await switchHost(db(), replaced)).toBe(false);
  expect(await hostOf(address)).toBe("mail-1");
  await request(address, "mail-1");
  expect(await findMove(db(), address)).toBeNull();
  await db().delete(removedStores);

  await request(address, "mail-2");
  const move = (await findMove(db(), address))!;
  const switched = await Promise.all([switchHost(db(), move), switchHost(db(), move)]);
  expect(switched.toSorted()).toEqual([false, true]);
  expect(await hostOf(address)).toBe("mail-2");
  await recordCopied(db(), move);
  await expect(request(address, "mail-3")).rejects.toThrow("was just moved from mail-1. Try again");
  await finishMove(db(), move);
  expect(await db().$count(mailboxMoves)).toBe(0);
  expect(await removalsOf(store)).toEqual(["mail-1"]);
  await expect(request(address, "mail-1")).rejects.toThrow("is being deleted");
});

test("a canceled move's copy is deleted, and the host accepts no more of it", async () => {
  const { address, store } = await aMovableMailbox();
  const expected = () =>
    Promise.all(["mail-1", "mail-2", "mail-3"].map((host) => isStoreExpected(db(), host, store)));
  await request(address, "mail-2");
  expect(await expected()).toEqual([true, true, false]);
  await request(address, "mail-3");
  expect(await expected()).toEqual([true, false, true]);
  expect(await removalsOf(store)).toEqual(["mail-2"]);
  await expect(request(address, "mail-2")).rejects.toThrow("is being deleted");
  await db().delete(addresses).where(eq(addresses.address, address));
  expect(await expected()).toEqual([false, false, false]);
});

test("moves are in the audit log of the mailbox's company", async () => {
  const { address, companyId } = await aMovableMailbox();
  await request(address, "mail-2");
  await request(address, "mail-1");
  await db().delete(removedStores);
  await request(address, "mail-2");
  const move = (await findMove(db(), address))!;
  for (const problem of ["unreachable", "disk full"])
    expect(await recordMoveProblem(db(), move, problem)).toBe(true);
  await switchHost(db(), move);
  for (const again of [move, move]) await recordCopied(db(), again);
  const entries = await db()
    .select({
      actor: auditEntries.actor,
      action: auditEntries.action,
      details: auditEntries.details,
    })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, companyId))
    .orderBy(auditEntries.createdAt);
  const details = { mailbox: address, from: "mail-1", to: "mail-2" };
  expect(entries).toEqual([
    { actor: actor.email, action: "mailbox.move_started", details },
    { actor: actor.email, action: "mailbox.move_canceled", details },
    { actor: actor.email, action: "mailbox.move_started", details },
    { actor: "system", action: "mailbox.move_failed", details },
    { actor: "system", action: "mailbox.move_finished", details },
  ]);
  expect(await findMove(db(), address)).toMatchObject({ problem: null });
  await db().delete(addresses).where(eq(addresses.address, address));
  expect(await recordMoveProblem(db(), move, "gone")).toBe(false);
});
