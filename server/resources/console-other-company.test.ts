import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import type { TestDovecot } from "#server/testing/a-dovecot.ts";
import { aFullCompany } from "#server/testing/a-full-company.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";
import { propertiesOf, sampleOf, shapeOf } from "#server/testing/sample-of.ts";

import { consoleEndpoints } from "./pages.ts";

// Tenant isolation: calls every endpoint as another company's owner, with the IDs of objects that exist.

const MARK = "zweibrueck";

const SKIPPED_PATHS = ["/console/api/sessions/signOut"];

const inConsole = consoleEndpoints
  .filter(({ permission }) => permission === "console" || permission === "console_door")
  .filter(({ path }) => !SKIPPED_PATHS.includes(path))
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

const withId = inConsole.filter(([, { params }]) => params !== undefined);
const readsWithId = withId.filter(([, { method }]) => method === "GET");

let theirs: Awaited<ReturnType<typeof aFullCompany>>;
let sessionId: string;
let dovecot: TestDovecot;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
  theirs = await aFullCompany(MARK);
  const { cookie } = theirs;
  const list = consoleEndpoints.find(
    ({ path }) => path === "/console/api/settings/listCompanySessions",
  )!;
  const { body } = await call(list, { cookie });
  sessionId = (body as { data: { id: string }[] }).data[0]!.id;
}, 60_000);

afterAll(() => dovecot.stop());

/** Parameters that name the other company's objects. */
function paramsFor({ path, params }: AnyEndpoint): Record<string, string> {
  const noun = path.split("/").at(-2)!;
  const { ids } = theirs;
  const idOf: Record<string, string> = {
    ...ids,
    dns: ids.domains,
    webhookEvents: ids.webhooks,
    sessions: ids.companies,
    profile: sessionId,
    settings: sessionId,
  };
  const values: Record<string, string> = {
    id: idOf[noun] ?? ids.emails,
    eventId: theirs.event,
    position: "0",
    email: theirs.mailbox,
    mailbox: theirs.mailbox,
    address: addressIn(path),
  };
  const names = Object.keys(propertiesOf(shapeOf(params)));
  return Object.fromEntries(names.map((name) => [name, values[name]!]));
}

function addressIn(path: string): string {
  if (path.endsWith("/removeAlias")) return theirs.alias;
  return path.includes("/inboundAddresses/") ? theirs.inbound : theirs.group;
}

/** The session cookie of an owner of an unrelated company. */
async function anOutsider(): Promise<string> {
  const { id } = await anAdmin((await aCompany()).id, { isOwner: true });
  return (await startSession(db(), id)).split(";")[0]!;
}

function callAs(cookie: string, endpoint: AnyEndpoint, body: unknown) {
  const required = shapeOf(endpoint.query).required ?? [];
  const query = required.map((name): [string, string] => [name, theirs.mailbox]);
  return call(endpoint, { params: paramsFor(endpoint), cookie, query, body });
}

/** Different bodies that name the other company's objects; one without content if the endpoint takes none. */
function bodiesFor({ body }: AnyEndpoint): unknown[] {
  if (!body) return [undefined];
  const ids = Object.values(theirs.ids);
  const shared = [theirs.mailbox, theirs.group, `${MARK}@example.org`];
  const samples = ids.flatMap((id) =>
    [id, ...shared].map((text) => JSON.stringify(sampleOf(shapeOf(body), { id, text }))),
  );
  return [...new Set(samples)].map((sample) => JSON.parse(sample) as unknown);
}

/** Hashes of all rows of the company, its owner included. */
async function companySnapshot(): Promise<string[]> {
  const { companyId, owner } = theirs;
  const tables = await db().execute<{ name: string }>(sql`
    select c.table_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'company_id' and t.table_type = 'BASE TABLE'
    order by 1`);
  const hashes = tables.map(
    ({ name }) => sql`
    select ${name}::text || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as sum
    from ${sql.identifier(name)} t where company_id = ${companyId}`,
  );
  hashes.push(sql`select people::text from people where email = ${owner.email}`);
  hashes.push(sql`select passkeys::text from passkeys where email = ${owner.email}`);
  hashes.push(sql`select coalesce(string_agg(m::text, ','), '') from group_members m
    where group_address = ${theirs.group}`);
  hashes.push(sql`select count(*)::text from sessions where user_id = ${owner.id}`);
  const rows = await db().execute<{ sum: string }>(sql.join(hashes, sql` union all `));
  return rows.map(({ sum }) => sum);
}

test("the parameters name existing objects", async () => {
  for (const [name, endpoint] of readsWithId) {
    // These need another object too, such as an attempt or an attachment.
    if (
      /Attempts|SigningSecret|Privileges|Attachment|File|Source|EffectiveSettings|Access$/.test(
        name,
      )
    )
      continue;
    const { status, body } = await callAs(theirs.cookie, endpoint, undefined);
    expect([name, status, body]).toEqual([name, 200, body]);
  }
});

describe.each(withId)("%s", (_, endpoint) => {
  test("doesn't find another company's objects", async () => {
    const before = await companySnapshot();
    const names = { id: theirs.ids.emails, text: theirs.mailbox };
    const body = endpoint.body && sampleOf(shapeOf(endpoint.body), names);
    const { status } = await callAs(await anOutsider(), endpoint, body);
    if (body === undefined) expect(status).toBe(404);
    else expect([403, 404, 409, 422]).toContain(status);
    expect(await companySnapshot()).toEqual(before);
  });
});

describe.each(inConsole.filter(([, { params }]) => params === undefined))("%s", (_, endpoint) => {
  test("neither returns nor changes another company's data", async () => {
    const before = await companySnapshot();
    const outsider = await anOutsider();
    for (const body of bodiesFor(endpoint)) {
      const { body: answer } = await callAs(outsider, endpoint, body);
      if (endpoint.method === "GET") expect(JSON.stringify(answer)).not.toContain(MARK);
    }
    expect(await companySnapshot()).toEqual(before);
  });
});
