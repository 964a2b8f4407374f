// cspell:ignore resourcetype bedework trac Ical getctag getetag multistatus
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { type Mailbox, mailboxShares } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { collectionsPath } from "#server/gateways/calendar-store.ts";
import { aCalendarFront, anEvent, davHome } from "#server/testing/a-calendar-server.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

let dav: Awaited<ReturnType<typeof aCalendarFront>>;
let mailbox: Mailbox;

beforeAll(async () => {
  dav = await aCalendarFront();
});
afterAll(() => dav.stop());

beforeEach(async () => {
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
});

const ask = (method: string, path: string, body: string, headers: Record<string, string> = {}) =>
  dav.ask(method, path, { as: mailbox, body, headers });

const NAMESPACES =
  'xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:a="http://apple.com/ns/ical/" xmlns:s="http://calendarserver.org/ns/"';

/** Asks for properties as `name` or `prefix:name`. */
async function propfind(path: string, depth: "0" | "1", names: string[]) {
  const properties = names.map((name) => `<${name}/>`).join("");
  const body = `<?xml version="1.0"?><propfind ${NAMESPACES}><prop>${properties}</prop></propfind>`;
  const answer = await ask("PROPFIND", path, body, { depth });
  expect([path, answer.status]).toEqual([path, 207]);
  return answer.text.split("<response>").slice(1);
}

const hrefIn = (property: string, text: string) =>
  new RegExp(`${property}><(?:\\w+:)?href>([^<]+)<`).exec(text)![1]!;

/** Another mailbox, whose calendar the mailbox can read. */
async function aSharedMailbox(): Promise<void> {
  const { domainId: id, companyId, address: member } = mailbox;
  const name = mailbox.address.split("@")[1]!;
  const sales = await aMailbox({ id, companyId, name }, { name: "Sales" });
  const share = { access: "read", sendAs: false } as const;
  await db()
    .insert(mailboxShares)
    .values({ mailbox: sales.address, member, ...share });
}

const namesOf = (responses: string[]) =>
  responses
    .filter((text) => /<(?:\w+:)?calendar ?\/>/i.test(text))
    .map((text) => /displayname>([^<]*)</.exec(text)![1]!)
    .toSorted();

// As `detectCollection`, `handlePrincipal` and `handleHomeSet` of Thunderbird's CalDavProvider.sys.mjs (2024) ask.
test("Thunderbird's requests find the calendars, and which of them are read-only", async () => {
  await aSharedMailbox();
  const collection = ["resourcetype", "owner", "displayname", "current-user-principal"];
  const [root] = await propfind("/dav/", "0", [
    ...collection,
    "current-user-privilege-set",
    "a:calendar-color",
    "c:calendar-home-set",
  ]);
  const [principal] = await propfind(hrefIn("current-user-principal", root!), "0", [
    "c:calendar-home-set",
  ]);
  const found = await propfind(hrefIn("calendar-home-set", principal!), "1", [
    "resourcetype",
    "displayname",
    "current-user-privilege-set",
    "a:calendar-color",
  ]);
  expect(namesOf(found)).toEqual(["Ann Example", "Sales"]);
  const writable = found.filter((text) => /<(?:write|all|write-content) ?\/>/.test(text));
  expect(namesOf(writable)).toEqual(["Ann Example"]);
});

// As recorded at bedework.org/trac/bedework/wiki/DevDocs/IcalInteractions, after the redirect of RFC 6764.
test("Apple's requests find the calendars, and what has changed", async () => {
  await aSharedMailbox();
  const [root] = await propfind("/dav/", "0", ["current-user-principal", "principal-URL"]);
  const home = hrefIn("current-user-principal", root!);
  const [principal] = await propfind(home, "0", [
    "c:calendar-home-set",
    "c:calendar-user-address-set",
    "c:schedule-inbox-URL",
    "c:schedule-outbox-URL",
    "s:dropbox-home-URL",
    "s:notifications-URL",
    "displayname",
  ]);
  const list = () =>
    propfind(hrefIn("calendar-home-set", principal!), "1", [
      "s:getctag",
      "displayname",
      "c:calendar-description",
      "a:calendar-color",
      "a:calendar-order",
      "resourcetype",
      "c:calendar-free-busy-set",
    ]);
  const before = await list();
  expect(namesOf(before)).toEqual(["Ann Example", "Sales"]);
  const path = `${davHome(mailbox)}/calendar/a.ics`;
  expect((await ask("PUT", path, anEvent("a", "A"))).status).toBe(201);
  const after = await list();
  expect(namesOf(after.filter((text) => !before.includes(text)))).toEqual(["Ann Example"]);
});

test("a moved occurrence of a recurring event is found where it is, and not where it was", async () => {
  const app = await dav.client("caldav", mailbox);
  const [calendar] = await app.fetchCalendars();
  const iCalString = anEvent(
    "weekly",
    "Weekly",
    "RRULE:FREQ=WEEKLY;COUNT=5",
    "END:VEVENT",
    "BEGIN:VEVENT",
    "UID:weekly",
    "DTSTAMP:20261101T080000Z",
    "RECURRENCE-ID:20261109T090000Z",
    "DTSTART:20261111T150000Z",
    "DTEND:20261111T160000Z",
    "SUMMARY:Moved",
  );
  await app.createCalendarObject({ calendar: calendar!, filename: "weekly.ics", iCalString });
  const at = async (day: number) => {
    const date = `2026-11-${String(day).padStart(2, "0")}`;
    const timeRange = { start: `${date}T00:00:00Z`, end: `${date}T23:59:00Z` };
    return (await app.fetchCalendarObjects({ calendar: calendar!, timeRange })).length;
  };
  expect([await at(2), await at(9), await at(11), await at(16), await at(30)]).toEqual([
    1, 0, 1, 1, 1,
  ]);
});

test("an app gets all events of a large calendar, and later only what has changed", async () => {
  const app = await dav.client("caldav", mailbox);
  const [calendar] = await app.fetchCalendars();
  const folder = join(collectionsPath(mailbox.store, dav.folder), "calendar");
  // Written as a restore does, since Radicale flushes each event to disk.
  for (let i = 0; i < 2_000; i++)
    await writeFile(join(folder, `${i}.ics`), anEvent(`event-${i}`, `Event ${i}`));
  const sync = async (syncToken = "") => {
    const props = { "d:getetag": {} };
    const found = await app.syncCollection({
      url: calendar!.url,
      props,
      syncLevel: 1,
      ...(syncToken && { syncToken }),
    });
    const files = found.flatMap(({ href }) => (href?.endsWith(".ics") ? [href] : []));
    return {
      files,
      token: (found[0]!.raw as { multistatus: { syncToken: string } }).multistatus.syncToken,
    };
  };
  const first = await sync();
  expect(new Set(first.files).size).toBe(2_000);
  await app.createCalendarObject({
    calendar: calendar!,
    filename: "new.ics",
    iCalString: anEvent("new", "New"),
  });
  const second = await sync(first.token);
  expect(second.files.map((href) => href.split("/").at(-1))).toEqual(["new.ics"]);
});
