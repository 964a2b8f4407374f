import { existsSync, readdirSync } from "node:fs";

import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import {
  addresses,
  groupMembers,
  type Mailbox,
  mailboxes,
  mailboxShares,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { collectionsPath } from "#server/gateways/calendar-store.ts";
import { removeMailStore } from "#server/gateways/mail-store.ts";
import {
  aCalendarFront,
  anEvent,
  davHome,
  type DavRequest,
  REPLACED,
} from "#server/testing/a-calendar-server.ts";
import { aCompany, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";

// The mailbox "Sales" is shared with a group, whose member Ann is.

let dav: Awaited<ReturnType<typeof aCalendarFront>>;
let ann: Mailbox;
let sales: Mailbox;
let group: string;

beforeAll(async () => {
  dav = await aCalendarFront();
});
afterAll(() => dav.stop());

const share = (access: "read" | "write", member = group) =>
  db()
    .insert(mailboxShares)
    .values({ mailbox: sales.address, member, access, sendAs: false })
    .onConflictDoUpdate({
      target: [mailboxShares.mailbox, mailboxShares.member],
      set: { access },
    });

beforeEach(async () => {
  const domain = await aDomain((await aCompany()).id);
  ann = await aMailbox(domain);
  sales = await aMailbox(domain, { name: "Sales" });
  group = (await aGroup(domain, { members: [ann.address] })).address;
});

const ask = (method: string, path: string, asked: Partial<DavRequest> = {}) =>
  dav.ask(method, path, { as: ann, ...asked });

/** The path of the calendar of Sales in Ann's home; null if an app doesn't find it. */
async function findShared(viewer = ann): Promise<string | null> {
  const calendars = await (await dav.client("caldav", viewer)).fetchCalendars();
  expect(calendars.map(({ displayName }) => displayName)).toContain("Ann Example");
  const found = calendars.find(({ displayName }) => displayName === "Sales");
  return found ? new URL(found.url).pathname : null;
}

const PRIVILEGES = '<propfind xmlns="DAV:"><prop><current-user-privilege-set/></prop></propfind>';
const privilegesAt = async (path: string) =>
  (await ask("PROPFIND", path, { headers: { depth: "0" }, body: PRIVILEGES })).text;

const event = (summary: string) => ({ body: anEvent("meeting", summary) });
const eventFor = (method: string) => (method === "PUT" ? event("Late") : {});

function moveTo(path: string) {
  const host = `127.0.0.1:${dav.port}`;
  return { headers: { destination: `http://${host}${path}`, host } };
}

test("members of a group that can write find the calendar of a shared mailbox, and change its events", async () => {
  await share("write");
  const shared = (await findShared())!;
  expect(shared).toMatch(new RegExp(`^${davHome(ann).replace("@", "%40")}/shared-write-`));
  expect(await privilegesAt(shared)).toContain("<write");
  expect((await ask("PUT", `${shared}meeting.ics`, event("By Ann"))).status).toBe(201);
  const own = `${davHome(sales)}/calendar/meeting.ics`;
  expect((await ask("GET", own, { as: sales })).text).toContain("SUMMARY:By Ann");
  const put = await ask("PUT", own, { as: sales, ...event("By Sales") });
  expect(put.status).toBeOneOf(REPLACED);
  expect((await ask("GET", `${shared}meeting.ics`)).text).toContain("SUMMARY:By Sales");
  // Not directly, and not the contacts.
  expect((await ask("GET", own)).status).toBe(403);
  const app = await dav.client("carddav", ann);
  expect(await app.fetchAddressBooks()).toHaveLength(1);

  const to = `${davHome(ann)}/calendar/moved.ics`;
  expect((await ask("MOVE", `${shared}meeting.ics`, moveTo(to))).status).toBe(201);
  expect((await ask("GET", own, { as: sales })).status).toBe(404);
});

test("members that can only read can't change events", async () => {
  await share("read");
  const shared = (await findShared())!;
  const path = `${davHome(sales)}/calendar/meeting.ics`;
  expect((await ask("PUT", path, { as: sales, ...event("By Sales") })).status).toBe(201);
  expect((await ask("GET", `${shared}meeting.ics`)).text).toContain("SUMMARY:By Sales");
  expect(await privilegesAt(shared)).not.toContain("<write");
  for (const [method, name] of [
    ["PUT", "meeting.ics"],
    ["PUT", "new.ics"],
    ["DELETE", "meeting.ics"],
  ] as const)
    expect([method, (await ask(method, shared + name, eventFor(method))).status]).toEqual([
      method,
      403,
    ]);
  const out = moveTo(`${davHome(ann)}/calendar/stolen.ics`);
  expect((await ask("MOVE", `${shared}meeting.ics`, out)).status).toBe(403);
  const into = moveTo(`${shared}own.ics`);
  await ask("PUT", `${davHome(ann)}/calendar/own.ics`, { body: anEvent("own", "Own") });
  expect((await ask("MOVE", `${davHome(ann)}/calendar/own.ics`, into)).status).toBe(403);
  expect((await ask("GET", path, { as: sales })).text).toContain("SUMMARY:By Sales");
});

test("only the owner can delete, rename, replace or move a shared calendar, and similar names are reserved", async () => {
  await share("write");
  const shared = (await findShared())!;
  const encoded = shared.replace("/shared", "/%73hared");
  for (const path of [
    shared,
    shared.replace(/\/$/, ""),
    encoded,
    `${shared}../${shared.split("/")[3]}/`,
    `${shared}%ff/../`,
    shared.replace("/dav/", "/dav/../"),
    shared.replace("/dav/", "/dav/..%2f"),
  ])
    for (const method of ["DELETE", "PROPPATCH", "PUT", "MKCALENDAR", "MKCOL", "MOVE"])
      expect([path, method, (await ask(method, path, { body: "" })).status]).toEqual([
        path,
        method,
        403,
      ]);
  for (const name of ["shared-write-0", "shared-read-0", "%73hared-write-0"])
    for (const method of ["MKCALENDAR", "PUT", "PROPFIND", "GET"])
      expect([
        name,
        method,
        (await ask(method, `${davHome(ann)}/${name}/`, { body: "" })).status,
      ]).toEqual([name, method, 403]);
  expect(await findShared()).toBe(shared);
  expect(readdirSync(collectionsPath(sales.store)).toSorted()).toEqual(["calendar", "contacts"]);
});

test("access follows the share and the group with the next request, and the owner's events stay", async () => {
  await share("write");
  const writable = (await findShared())!;
  expect((await ask("PUT", `${writable}meeting.ics`, event("Kept"))).status).toBe(201);
  await share("read");
  expect((await ask("PUT", `${writable}meeting.ics`, event("Late"))).status).toBe(403);
  const readable = (await findShared())!;
  expect((await ask("GET", `${readable}meeting.ics`)).text).toContain("SUMMARY:Kept");

  const ofAnn = and(eq(groupMembers.groupAddress, group), eq(groupMembers.member, ann.address));
  await db().delete(groupMembers).where(ofAnn);
  for (const path of [readable, writable])
    for (const method of ["GET", "PUT", "PROPFIND", "REPORT"])
      expect((await ask(method, `${path}meeting.ics`, eventFor(method))).status).toBe(403);
  expect(await findShared()).toBe(null);
  await db().insert(groupMembers).values({ groupAddress: group, member: ann.address });
  expect(await findShared()).toBe(readable);
  await db().delete(addresses).where(eq(addresses.address, group));
  expect(await findShared()).toBe(null);

  await share("write", ann.address);
  expect(await findShared()).toBe(writable);
  await db()
    .update(orgUnits)
    .set({ calendarAllowed: false })
    .where(eq(orgUnits.id, await aUnitOf(sales)));
  expect(await findShared()).toBe(null);
  const own = `${davHome(sales)}/calendar/meeting.ics`;
  await db().update(orgUnits).set({ calendarAllowed: true });
  expect((await ask("GET", own, { as: sales })).text).toContain("SUMMARY:Kept");
});

/** Moves a mailbox to a new unit, and returns it. */
async function aUnitOf({ companyId, orgUnitId, address }: Mailbox): Promise<number> {
  const [unit] = await db()
    .insert(orgUnits)
    .values({ companyId, name: "Sales", parentId: orgUnitId })
    .returning();
  await db().update(mailboxes).set({ orgUnitId: unit!.id }).where(eq(mailboxes.address, address));
  return unit!.id;
}

test("a renamed or deleted shared mailbox, and one of another company", async () => {
  await share("write");
  const shared = (await findShared())!;
  const address = `new-${sales.address}`;
  const { companyId, domainId } = sales;
  await db().insert(addresses).values({ address, companyId, domainId, kind: "mailbox" });
  await db().update(mailboxes).set({ address }).where(eq(mailboxes.address, sales.address));
  expect(await findShared()).toBe(shared);
  await db().delete(mailboxes).where(eq(mailboxes.address, address));
  await removeMailStore(sales.store);
  expect(existsSync(collectionsPath(sales.store))).toBe(false);
  expect(await findShared()).toBe(null);
  expect(readdirSync(collectionsPath(ann.store)).toSorted()).toEqual(["calendar", "contacts"]);

  sales = await aMailbox(await aDomain((await aCompany()).id), { name: "Sales" });
  await share("write", ann.address);
  await share("write", group).catch(() => {});
  expect(await findShared()).toBe(null);
});

test("deleting the viewer's mailbox keeps the shared calendar, and many requests at once link it once", async () => {
  await share("write");
  const found = await Promise.all(Array.from({ length: 8 }, () => findShared()));
  expect(new Set(found).size).toBe(1);
  const put = await ask("PUT", `${found[0]!}meeting.ics`, event("Kept"));
  expect(put).toMatchObject({ status: 201 });
  await removeMailStore(ann.store);
  const own = `${davHome(sales)}/calendar/meeting.ics`;
  expect((await ask("GET", own, { as: sales })).text).toContain("SUMMARY:Kept");
});
