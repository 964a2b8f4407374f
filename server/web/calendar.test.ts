import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { addresses, type Mailbox, mailboxes, mailboxShares } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { invalidateSettings } from "#server/core/platform/settings/read-settings.ts";
import { db } from "#server/db/pool.ts";
import { collectionsPath } from "#server/gateways/calendar-store.ts";
import { removeMailStore } from "#server/gateways/mail-store.ts";
import {
  aCalendarFront,
  aCalendarServer,
  anEvent,
  basic,
  davHome as home,
  type DavRequest,
  REPLACED,
} from "#server/testing/a-calendar-server.ts";
import { aSmallDisk, testWithSmallDisk } from "#server/testing/a-small-disk.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { send } from "#server/testing/http-client.ts";
import { mailTexts } from "#server/universal/texts/languages.ts";

let dav: Awaited<ReturnType<typeof aCalendarFront>>;
let mailbox: Mailbox;

beforeAll(async () => {
  dav = await aCalendarFront();
});
afterAll(() => dav.stop());

beforeEach(async () => {
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await changeSetting(db(), "calendar_limit_mb", "200");
  invalidateSettings();
});

const ask = (method: string, path: string, asked: Partial<DavRequest> = {}) =>
  dav.ask(method, path, { as: mailbox, ...asked });
const client = (type: "caldav" | "carddav") => dav.client(type, mailbox);

test("a calendar app finds the calendar by the hostname alone, named after the mailbox, and synchronizes events", async () => {
  const app = await client("caldav");
  const [calendar, ...others] = await app.fetchCalendars();
  expect(others).toEqual([]);
  expect(calendar).toMatchObject({ displayName: "Ann Example" });
  const filename = "meeting.ics";
  const iCalString = anEvent("meeting", "Meeting", "RRULE:FREQ=WEEKLY;COUNT=10");
  const created = await app.createCalendarObject({ calendar: calendar!, filename, iCalString });
  expect(created.status).toBe(201);

  const find = (start: string, end: string) =>
    app.fetchCalendarObjects({ calendar: calendar!, timeRange: { start, end } });
  const [event] = await find("2026-12-07T00:00:00Z", "2026-12-08T00:00:00Z");
  expect(event!.data).toContain("SUMMARY:Meeting");
  expect(await find("2027-06-01T00:00:00Z", "2027-07-01T00:00:00Z")).toEqual([]);

  const changed = { ...event!, data: anEvent("meeting", "Moved") };
  expect((await app.updateCalendarObject({ calendarObject: changed })).status).toBeOneOf(REPLACED);
  expect((await app.updateCalendarObject({ calendarObject: changed })).status).toBe(412);
  const [after] = await app.fetchCalendarObjects({ calendar: calendar! });
  expect(after!.data).toContain("SUMMARY:Moved");
  expect((await app.deleteCalendarObject({ calendarObject: after! })).status).toBe(200);
  expect(await app.fetchCalendarObjects({ calendar: calendar! })).toEqual([]);
});

test("an address book app finds the contacts, in the language of the mailbox", async () => {
  await db()
    .update(mailboxes)
    .set({ language: "de" })
    .where(eq(mailboxes.address, mailbox.address));
  const app = await client("carddav");
  const [addressBook] = await app.fetchAddressBooks();
  expect(addressBook).toMatchObject({ displayName: mailTexts("de")("contacts") });
  const vCardString =
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:bob\r\nFN:Bob\r\nN:;Bob;;;\r\nEND:VCARD\r\n";
  await app.createVCard({ addressBook: addressBook!, filename: "bob.vcf", vCardString });
  expect(await app.fetchVCards({ addressBook: addressBook! })).toMatchObject([
    { data: expect.stringContaining("FN:Bob") as string },
  ]);
});

test("a new calendar can have any name, and events can be moved to it", async () => {
  const app = await client("caldav");
  const [calendar] = await app.fetchCalendars();
  const home = new URL("..", calendar!.url).href;
  await app.makeCalendar({ url: `${home}private`, props: { displayname: "Café & home" } });
  const names = (await app.fetchCalendars()).map(({ displayName }) => displayName);
  expect(names.toSorted()).toEqual(["Ann Example", "Café & home"]);
  await app.createCalendarObject({
    calendar: calendar!,
    filename: "a.ics",
    iCalString: anEvent("a", "A"),
  });
  const moved = await fetch(`${calendar!.url}a.ics`, {
    method: "MOVE",
    headers: { authorization: basic(mailbox.address), destination: `${home}private/a.ics` },
  });
  expect(moved.status).toBe(201);
});

const PRINCIPAL =
  '<propfind xmlns="DAV:"><prop><current-user-principal/><displayname/></prop></propfind>';

test("the well-known URLs redirect to /dav, which asks for a password", async () => {
  for (const kind of ["caldav", "carddav"])
    for (const method of ["GET", "PROPFIND"])
      expect(await send(dav.port, method, `/.well-known/${kind}`, {})).toMatchObject({
        status: 301,
        headers: { location: "/dav/" },
      });
  for (const authorization of [
    undefined,
    "Bearer x",
    "Basic",
    "Basic eA==",
    basic("", ""),
    "Basic %%",
  ])
    expect(
      await send(dav.port, "PROPFIND", "/dav/", {
        headers: { depth: "0", ...(authorization !== undefined && { authorization }) },
        body: PRINCIPAL,
      }),
    ).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Basic realm="Posthouse", charset="UTF-8"' },
    });
  const found = await ask("PROPFIND", "/dav/", { headers: { depth: "0" }, body: PRINCIPAL });
  expect(found.status).toBe(207);
  const [domain, user] = mailbox.store.split("/");
  expect(found.text).toContain(`<href>/dav/${user}%40${domain}/</href>`);
  expect(found.headers["content-security-policy"]).toBe("default-src 'none'; sandbox");
});

test("mailbox users can't read or write the calendars of others, whatever headers they send", async () => {
  const other = await aMailbox(await aDomain(mailbox.companyId));
  const path = `${home(mailbox)}/calendar/secret.ics`;
  expect((await ask("PUT", path, { body: anEvent("secret", "Secret") })).status).toBe(201);
  expect((await ask("GET", path)).text).toContain("SUMMARY:Secret");
  const user = home(mailbox).slice("/dav/".length);
  const forged: Record<string, string>[] = [
    {},
    { "x-remote-user": user },
    { "X-Remote_User": user, x_remote_user: user },
    { "x-script-name": "/dav/x", forwarded: "host=evil.example" },
    { "x-forwarded-user": user, "x-forwarded-prefix": "/", "remote-user": user },
  ];
  for (const headers of forged)
    for (const method of ["GET", "PUT", "DELETE", "PROPFIND", "REPORT", "PROPPATCH"])
      expect([
        method,
        (
          await ask(method, path, {
            as: other,
            headers,
            body: method === "PUT" ? anEvent("x", "X") : "",
          })
        ).status,
      ]).toEqual([method, expect.toBeOneOf([400, 403])]);
  for (const wrong of [
    home(mailbox),
    `${home(other)}/../${user}/calendar/secret.ics`,
    `/dav/%2e%2e${home(mailbox)}`,
    `${home(mailbox)}/calendar`,
  ])
    expect([wrong, await ask("GET", wrong, { as: other })]).toEqual([
      wrong,
      expect.objectContaining({ status: expect.toBeOneOf([400, 403, 404]) as number }),
    ]);
  expect((await ask("GET", path)).text).toContain("SUMMARY:Secret");
});

test("says why a user can't sign in", async () => {
  const answer = await ask("PROPFIND", "/dav", { password: "wrong" });
  expect(answer).toMatchObject({
    status: 401,
    text: "The address or password is incorrect\n",
  });
  await db()
    .update(mailboxes)
    .set({ suspendedAt: new Date().toISOString() })
    .where(eq(mailboxes.address, mailbox.address));
  expect(await ask("PROPFIND", "/dav")).toMatchObject({
    status: 403,
    text: "This mailbox is suspended.\n",
  });
  const { length } = Array.from({ length: 12 });
  for (let i = 0; i < length; i++) await ask("PROPFIND", "/dav", { password: `guess ${i}` });
  const limited = await ask("PROPFIND", "/dav", { password: "one more" });
  expect(limited.status).toBe(429);
  expect(Number(limited.headers["retry-after"])).toBeGreaterThan(60);
});

test("answers while Radicale is down or off", async () => {
  const { calendar } = config();
  config().calendar = { socketPath: join(dav.folder, "missing.sock") };
  expect(await ask("PROPFIND", "/dav")).toMatchObject({
    status: 503,
    text: "Calendars aren't available right now\n",
  });
  config().calendar = null;
  for (const path of ["/dav", "/dav/x", "/.well-known/caldav"])
    expect((await ask("PROPFIND", path)).status).toBe(404);
  config().calendar = calendar;
});

test("an event that would recur for hours ends within the limit, and only its user has to wait", async () => {
  const radicale = await aCalendarServer(join(dav.folder, "own"), { CALENDAR_CPU_SECONDS: "2" });
  const { calendar } = config();
  config().calendar = { socketPath: radicale.socketPath };
  const body = anEvent("a", "A", "RRULE:FREQ=SECONDLY;COUNT=900000000");
  expect((await ask("PUT", `${home(mailbox)}/calendar/a.ics`, { body })).status).toBe(503);
  await radicale.ended;
  await rm(radicale.socketPath);
  const again = await aCalendarServer(join(dav.folder, "own"));
  const other = await aMailbox(await aDomain((await aCompany()).id));
  expect(await ask("GET", home(mailbox))).toMatchObject({
    status: 429,
    headers: { "retry-after": "600" },
  });
  expect((await ask("PROPFIND", "/dav/", { as: other })).status).toBe(207);
  await again.stop();
  config().calendar = calendar;
});

test("events are stored one by one, up to 2 MB", async () => {
  const put = (path: string, summary: string) =>
    ask("PUT", `${home(mailbox)}/${path}`, { body: anEvent("a", summary) });
  expect((await put("calendar/", "A")).status).toBe(403);
  expect((await put("new/", "A")).status).toBe(403);
  expect((await put("calendar/a.ics", "A".repeat(2.1 * 2 ** 20))).status).toBe(413);
  expect((await put("calendar/a.ics", "A")).status).toBe(201);
});

test("a renamed mailbox keeps its calendars, and they are deleted with its mail", async () => {
  const path = `${home(mailbox)}/calendar/a.ics`;
  expect((await ask("PUT", path, { body: anEvent("a", "A") })).status).toBe(201);
  const address = `new-${mailbox.address}`;
  await db().insert(addresses).values({
    address,
    companyId: mailbox.companyId,
    domainId: mailbox.domainId,
    kind: "mailbox",
  });
  await db().update(mailboxes).set({ address }).where(eq(mailboxes.address, mailbox.address));
  const renamed = { ...mailbox, address };
  expect((await ask("GET", path, { as: renamed })).text).toContain("SUMMARY:A");

  await removeMailStore(mailbox.store);
  expect(existsSync(collectionsPath(mailbox.store))).toBe(false);
  expect((await ask("GET", path, { as: renamed })).status).toBe(404);
});

const LIMIT = {
  status: 507,
  text: expect.stringContaining('<error xmlns="DAV:"><quota-not-exceeded/></error>') as string,
};

/** A mailbox with a limit of 1 MB, and this many bytes in its calendar. */
async function fillCalendar(of: Mailbox, bytes: number): Promise<void> {
  await changeSetting(db(), "calendar_limit_mb", "1");
  invalidateSettings();
  expect((await ask("PROPFIND", "/dav/", { as: of })).status).toBe(207);
  const folder = join(collectionsPath(of.store), "calendar");
  // A name that Radicale ignores.
  await writeFile(join(folder, ".filler"), "x".repeat(bytes));
}

/** Stops the clock that says when a full mailbox is measured again. */
const stopClock = () => vi.spyOn(performance, "now").mockReturnValue(performance.now());

test("a full mailbox can read, delete and move, and deleting makes room", async () => {
  const clock = stopClock();
  await fillCalendar(mailbox, 950_000);
  const path = `${home(mailbox)}/calendar`;
  const body = anEvent("a", "A", `X-A:${"x".repeat(60_000)}`);
  expect((await ask("PUT", `${path}/a.ics`, { body })).status).toBe(201);
  const second = { body: body.replaceAll("UID:a", "UID:b") };
  expect(await ask("PUT", `${path}/b.ics`, second)).toMatchObject(LIMIT);
  const chunked = { headers: { "transfer-encoding": "chunked" } };
  expect((await ask("PUT", `${path}/b.ics`, { ...second, ...chunked })).status).toBe(201);
  expect(await ask("MKCALENDAR", `${path}-2`, { body: "" })).toMatchObject(LIMIT);
  expect((await ask("GET", `${path}/a.ics`)).status).toBe(200);
  const to = { headers: { destination: `http://127.0.0.1:${dav.port}${path}/c.ics` } };
  expect((await ask("MOVE", `${path}/b.ics`, to)).status).toBe(201);
  expect((await ask("DELETE", `${path}/c.ics`)).status).toBe(200);
  // Not measured for each request.
  expect(await ask("PUT", `${path}/d.ics`, { body: anEvent("d", "D") })).toMatchObject(LIMIT);
  clock.mockReturnValue(performance.now() + 11_000);
  expect((await ask("PUT", `${path}/d.ics`, { body: anEvent("d", "D") })).status).toBe(201);
  expect(await ask("PUT", `${path}/b.ics`, second)).toMatchObject(LIMIT);
});

test("many small events at once are limited by what they take on the disk", async () => {
  stopClock();
  await fillCalendar(mailbox, 900_000);
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const body = anEvent(`${i}`, "Small");
      return (await ask("PUT", `${home(mailbox)}/calendar/${i}.ics`, { body })).status;
    }),
  );
  const stored = statuses.filter((status) => status === 201).length;
  expect(stored).toBeGreaterThan(15);
  expect(stored).toBeLessThan(37);
  expect(statuses.filter((status) => status === 507)).toHaveLength(40 - stored);
});

test("a full mailbox is measured once for writes at the same time", async () => {
  const clock = stopClock();
  await fillCalendar(mailbox, 1_100_000);
  const put = () => ask("PUT", `${home(mailbox)}/calendar/a.ics`, { body: anEvent("a", "A") });
  expect(await put()).toMatchObject(LIMIT);
  clock.mockReturnValue(performance.now() + 11_000);
  const count = 'echo >> "$0.runs"; sleep 0.3; exec /usr/bin/du "$@"';
  const du = join(dav.folder, "du");
  await writeFile(du, `#!/bin/sh\n${count}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${dav.folder}:${process.env.PATH}`);
  for (const answer of await Promise.all(Array.from({ length: 8 }, put)))
    expect(answer).toMatchObject(LIMIT);
  vi.unstubAllEnvs();
  expect(await readFile(`${du}.runs`, "utf8")).toBe("\n");
});

test("writes to a shared calendar count for its owner", async () => {
  const { domainId: id, companyId, address: member } = mailbox;
  const sales = await aMailbox({ id, companyId, name: member.split("@")[1]! }, { name: "Sales" });
  await db()
    .insert(mailboxShares)
    .values({ mailbox: sales.address, member, access: "write", sendAs: false });
  stopClock();
  await fillCalendar(sales, 950_000);
  const app = await client("caldav");
  const shared = (await app.fetchCalendars()).find(({ displayName }) => displayName === "Sales")!;
  const target = new URL(shared.url).pathname;
  const large = { body: anEvent("a", "A", `X-A:${"x".repeat(110_000)}`) };
  expect(await ask("PUT", `${target}a.ics`, large)).toMatchObject(LIMIT);
  const own = `${home(mailbox)}/calendar/a.ics`;
  expect((await ask("PUT", own, large)).status).toBe(201);
  const to = (name: string) => ({
    headers: { destination: `http://127.0.0.1:${dav.port}${target}${name}` },
  });
  expect(await ask("MOVE", own, to("a.ics"))).toMatchObject(LIMIT);
  const small = { body: anEvent("b", "B", `X-A:${"x".repeat(60_000)}`) };
  expect((await ask("PUT", own.replace("a.ics", "b.ics"), small)).status).toBe(201);
  expect((await ask("MOVE", own.replace("a.ics", "b.ics"), to("b.ics"))).status).toBe(201);
  expect(await ask("PUT", `${target}c.ics`, small)).toMatchObject(LIMIT);
});

testWithSmallDisk("below the disk reserve, nothing is added", async () => {
  const path = `${home(mailbox)}/calendar/a.ics`;
  expect((await ask("PUT", path, { body: anEvent("a", "A") })).status).toBe(201);
  await using disk = await aSmallDisk(dav.folder, "1m");
  const { dataFolder } = config();
  config().dataFolder = disk.path;
  expect(await ask("PUT", path, { body: anEvent("a", "B") })).toMatchObject({
    status: 507,
    text: expect.stringContaining("<sufficient-disk-space/>") as string,
  });
  expect((await ask("GET", path)).text).toContain("SUMMARY:A");
  expect((await ask("DELETE", path)).status).toBe(200);
  config().dataFolder = dataFolder;
});
