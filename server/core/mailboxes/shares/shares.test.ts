import { once } from "node:events";

import { eq, sql } from "drizzle-orm";
import type { ImapFlow } from "imapflow";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { mailboxShares, mailboxUsage } from "#drizzle/schema/index.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { requireOwnAddress } from "#server/core/mail/submission/submitter.ts";
import { deleteDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { changeMembers } from "#server/core/mailboxes/groups/group-members.ts";
import { deleteGroup } from "#server/core/mailboxes/groups/groups.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { restoreDeleted } from "#server/core/operations/deleted-items/deleted-items.ts";
import { db } from "#server/db/pool.ts";
import type { TestDovecot } from "#server/testing/a-dovecot.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aContext, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";
import { putScript, signIn } from "#server/testing/mail-app.ts";

import { listShares, removeShare, setShare } from "./shares.ts";

// Each test signs in to a real Dovecot, as a mail app does.

const OWNER = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

let dovecot: TestDovecot;
let domain: Awaited<ReturnType<typeof aDomain>>;
let ctx: ReturnType<typeof aContext>;
let [team, ann, bob] = ["", "", ""];
beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  domain = await aDomain((await aCompany()).id);
  ctx = aContext(domain.companyId);
  [team, ann, bob] = (await Promise.all(
    ["team", "ann", "bob"].map(
      async (name) => (await aMailbox(domain, { address: `${name}@${domain.name}` })).address,
    ),
  )) as [string, string, string];
  await deliver(dovecot.lmtpSocket, team);
});

const share = (member: string, access: "read" | "write", sendAs = false) =>
  setShare(ctx, OWNER, team, { member, access, sendAs });

const folder = (name = "INBOX", owner = team) => `Shared mailboxes/${owner}/${name}`;

async function withApp<Result>(
  address: string,
  use: (app: ImapFlow) => Promise<Result>,
): Promise<Result> {
  const app = await signIn(dovecot.imap, address);
  try {
    return await use(app);
  } finally {
    app.close();
  }
}

/** Whether a mailbox user can open a folder. */
const canOpen = (address: string, path: string) =>
  withApp(address, (app) =>
    app.mailboxOpen(path).then(
      () => true,
      () => false,
    ),
  );

test("a mailbox shared for writing is found, read, searched, changed and filled; its own quota counts", async () => {
  await share(ann, "write");
  await withApp(ann, async (app) => {
    const paths = (await app.list()).map(({ path }) => path);

    expect(paths).toContain(`Shared mailboxes/${team}`);
    await app.mailboxOpen(folder());
    const found = await app.search({ body: "llo the" });
    expect(found).toEqual([1]);
    await app.messageFlagsAdd("1", ["\\Seen", "\\Flagged"]);
    await app.append(folder(), "Subject: From Ann\r\n\r\nx\r\n");
    await app.mailboxCreate(folder("Done"));
    await app.messageMove("1", folder("Done"));
    await app.logout();
  });
  await withApp(team, async (app) => {
    await app.mailboxOpen("Done");
    const [moved] = await app.fetchAll("1:*", { flags: true });
    expect([...moved!.flags!]).toEqual(expect.arrayContaining(["\\Seen", "\\Flagged"]));
    expect(await app.mailboxOpen("INBOX")).toMatchObject({ exists: 1 });
  });
  expect(await canOpen(ann, folder("Done"))).toBe(true);
  const messages = async (address: string) =>
    (await db().select().from(mailboxUsage).where(eq(mailboxUsage.address, address)))[0]
      ?.messages ?? 0;
  await vi.waitFor(async () => expect(await messages(team)).toBe(2));
  expect(await messages(ann)).toBe(0);
});

test("a mailbox shared for reading can't be changed", async () => {
  await share(ann, "read");
  await withApp(ann, async (app) => {
    await app.mailboxOpen(folder());
    expect(await app.fetchAll("1:*", { source: true })).toHaveLength(1);
    await app.messageFlagsAdd("1", ["\\Seen", "\\Deleted"]).catch(() => {});
    await app.messageDelete("1").catch(() => {});
    await expect(app.append(folder(), "Subject: x\r\n\r\nx\r\n")).rejects.toThrow();
    await expect(app.mailboxCreate(folder("New"))).rejects.toThrow();
  });
  await withApp(team, async (app) => {
    await app.mailboxOpen("INBOX");
    const [message] = await app.fetchAll("1:*", { flags: true });
    expect([...message!.flags!].filter((flag) => flag !== "\\Recent")).toEqual([]);
  });
});

test("other mailbox users can't open it, under any name or with any protocol", async () => {
  await share(ann, "write");
  const rival = await aDomain((await aCompany()).id);
  const { address: eve } = await aMailbox(rival);
  // A share of another company's mailbox has no effect, however it came about.
  await db()
    .insert(mailboxShares)
    .values({ mailbox: team, member: eve, access: "write", sendAs: true });
  const theirs = (await aMailbox(rival)).address;
  await deliver(dovecot.lmtpSocket, bob);
  await deliver(dovecot.lmtpSocket, theirs);
  for (const [user, owner] of [
    [bob, team],
    [eve, team],
    [team, ann],
    [ann, bob],
    [ann, theirs],
  ] as [string, string][])
    expect([user, owner, await canOpen(user, folder("INBOX", owner))]).toEqual([
      user,
      owner,
      false,
    ]);
  expect(await withApp(bob, (app) => app.list())).toHaveLength(5);
  await expect(
    requireOwnAddress(db(), { address: eve, companyId: rival.companyId }, team, "From"),
  ).rejects.toThrow("can't send as");

  await putScript(dovecot.sieve, ann, `require "fileinto"; fileinto "${folder()}";`);
  expect(await deliver(dovecot.lmtpSocket, ann)).toMatch(/^250/);
  await withApp(team, async (app) =>
    expect(await app.mailboxOpen("INBOX")).toMatchObject({ exists: 1 }),
  );
});

test("ending the sharing, or taking back writing, disconnects at once", async () => {
  await share(ann, "write");
  for (const [change, isOpen] of [
    [() => share(ann, "read"), true],
    [() => removeShare(ctx, OWNER, team, ann), false],
  ] as const) {
    const app = await signIn(dovecot.imap, ann);
    await app.mailboxOpen(folder());
    const closed = once(app, "close");
    await change();
    await closed;
    expect(await canOpen(ann, folder())).toBe(isOpen);
  }
  expect(await listShares(ctx, OWNER, team)).toEqual([]);
});

test("addresses may contain what Dovecot and SQL treat specially", async () => {
  const [owner, viewer] = (await Promise.all(
    ["o'%{user}", "v'%{user|domain}"].map(
      async (name) => (await aMailbox(domain, { address: `${name}@${domain.name}` })).address,
    ),
  )) as [string, string];
  await setShare(ctx, OWNER, owner, { member: viewer, access: "write", sendAs: false });
  await share(viewer, "read");
  expect(await deliver(dovecot.lmtpSocket, viewer)).toMatch(/^250 /);
  expect(await canOpen(viewer, "INBOX")).toBe(true);
  expect(await canOpen(viewer, folder())).toBe(true);
  expect(await canOpen(viewer, folder("INBOX", owner))).toBe(true);
});

test("members of a group can open it until they leave the group", async () => {
  const inner = await aGroup(domain, { members: [ann] });
  const { address } = await aGroup(domain, { members: [inner.address, "x@outside.example"] });
  await share(address, "read", true);
  expect(await canOpen(ann, folder())).toBe(true);
  expect(await canOpen(bob, folder())).toBe(false);
  await expect(requireOwnAddress(db(), sender(ann), team, "From")).resolves.toBeDefined();

  const app = await signIn(dovecot.imap, ann);
  const closed = once(app, "close");
  await changeMembers(ctx, inner.address, { remove: [ann] });
  await closed;
  expect(await canOpen(ann, folder())).toBe(false);
  await expect(requireOwnAddress(db(), sender(ann), team, "From")).rejects.toThrow("can't send as");
  expect(
    await db()
      .execute(sql`select payload ->> 'address' as address from graphile_worker._private_jobs
      where payload ->> 'address' = ${ann}`),
  ).toEqual([{ address: ann }]);
});

test("concurrent changes disconnect mail apps even if only both together end access", async () => {
  const { address } = await aGroup(domain, { members: [ann, bob] });
  await share(address, "read");
  await share(ann, "read");
  const app = await signIn(dovecot.imap, ann);
  const closed = once(app, "close");
  let leaving: Promise<unknown> = Promise.resolve();
  await db().transaction(async (tx) => {
    await removeShare({ ...ctx, db: tx }, OWNER, team, ann);
    leaving = changeMembers(ctx, address, { remove: [ann] });
    await untilBlocked();
  });
  await leaving;
  await closed;
  expect(await canOpen(ann, folder())).toBe(false);
});

test("shares come back when a mailbox, group or domain is restored", async () => {
  const second = await aDomain(domain.companyId);
  const groups = [await aGroup(domain), await aGroup(second)];
  for (const { address } of groups) await share(address, "read");
  await share(ann, "write", true);
  const shares = await listShares(ctx, OWNER, team);
  for (const remove of [
    () => deleteGroup(ctx, groups[0]!.address),
    () => deleteDomain(ctx, second.id, { via: "console" }),
    () => deleteMailbox(ctx, ann),
    () => deleteMailbox(ctx, team),
  ]) {
    const { deletedId } = await remove();
    await restoreDeleted(ctx, deletedId!);
    expect(await listShares(ctx, OWNER, team)).toEqual(shares);
  }
  expect(await canOpen(ann, folder())).toBe(true);
});

const sender = (address: string) => ({ address, companyId: domain.companyId });

test("sending as a mailbox requires send-as", async () => {
  await share(ann, "write");
  await expect(requireOwnAddress(db(), sender(ann), team, "From")).rejects.toThrow("can't send as");
  await share(ann, "write", true);
  await expect(requireOwnAddress(db(), sender(ann), team, "From")).resolves.toBeDefined();
  await expect(requireOwnAddress(db(), sender(ann), bob, "From")).rejects.toThrow("can't send as");
});

test("a mailbox can be shared with mailboxes and groups of the company only", async () => {
  const { address: theirs } = await aMailbox(await aDomain((await aCompany()).id));
  for (const member of [theirs, team, `unknown@${domain.name}`, "x@outside.example", ""])
    await expect(share(member, "read")).rejects.toMatchObject({ reason: "invalid" });
  const rival = aContext((await aCompany()).id);
  await expect(
    setShare(rival, OWNER, team, { member: ann, access: "read", sendAs: false }),
  ).rejects.toMatchObject({ reason: "not_found" });
  const helpDesk = effectivePrivileges({ isOwner: false, privileges: ["update_users"], roles: [] });
  await expect(
    setShare(ctx, helpDesk, team, { member: ann, access: "read", sendAs: false }),
  ).rejects.toMatchObject({ reason: "invalid_permission" });
});
