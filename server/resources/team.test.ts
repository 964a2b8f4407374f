import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { invite as inviteOf } from "#server/core/access/invitations/invitations.ts";
import { roles } from "#drizzle/schema/index.ts";
import { PRIVILEGES } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { invitationsConsole } from "#server/resources/invitations.ts";
import { rolesConsole } from "#server/resources/roles.ts";
import { sessionsConsole } from "#server/resources/sessions.ts";
import { call } from "#server/testing/call.ts";
import {
  aMailCompany,
  anOwnersSession,
  aSessionOfRole,
} from "#server/testing/console-mailboxes.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { anOwner, aRole } from "#server/testing/team.ts";

import { auditConsole } from "./audit/console.ts";
import { teamConsole } from "./team.ts";

type Row = { id: string; email: string };
const rowsOf = ({ body }: { body: unknown }) => (body as { data: Row[] }).data;

test("the team is sorted, searched and paged by address", async () => {
  const { id: companyId } = await aCompany();
  await anAdmin((await aCompany()).id, { email: "b-elsewhere@team.example" });
  const admin = await anAdmin(companyId, { email: "a@team.example", isOwner: true, name: "Ann" });
  const ids: Record<string, string> = {};
  for (const name of ["b", "c", "d"]) {
    const { id } = await anAdmin(companyId, {
      email: `${name}@team.example`,
      name: `100% ${name}`,
    });
    ids[name] = id;
  }
  const cookie = (await startSession(db(), admin.id)).split(";")[0]!;
  const list = async (query: Record<string, string> = {}) =>
    rowsOf(await callFromPage(teamConsole.list, { cookie, query })).map(({ email }) => email[0]);
  expect(await list()).toEqual(["a", "b", "c", "d"]);
  expect(await list({ limit: "2", after: ids.b! })).toEqual(["c", "d"]);
  expect(await list({ limit: "2", before: ids.d! })).toEqual(["b", "c"]);
  expect(await list({ search: "ANN" })).toEqual(["a"]);
  expect(await list({ search: "100% C" })).toEqual(["c"]);
  expect(await list({ search: "_" })).toEqual([]);
  const beyond = await callFromPage(teamConsole.list, { cookie, query: { after: companyId } });
  expect(beyond.status).toBe(422);
});

test("the list shows which addresses are unconfirmed", async () => {
  const { id: companyId } = await aCompany();
  const cookie = await anOwnersSession(companyId);
  const body = { email: `copied-${companyId}@example.com` };
  const invited = await callFromPage(invitationsConsole.invite, { cookie, body });
  const token = new URL((invited.body as { link: string }).link).hash.slice(1);
  await callFromPage(invitationsConsole.accept, {
    body: { token, name: "Nia", password: "correct horse battery" },
  });
  const list = rowsOf(await callFromPage(teamConsole.list, { cookie }));
  expect(list.find(({ email }) => email === body.email)).toMatchObject({
    isAddressConfirmed: false,
  });
  expect(list.find(({ email }) => email !== body.email)).toMatchObject({
    isAddressConfirmed: true,
  });
});

test("an admin's privileges are listed with their sources", async () => {
  const { companyId, sales } = await aMailCompany();
  const person = await anAdmin(companyId, { privileges: ["domains"] });
  await aRole(companyId, { name: "All", privileges: ["view_users"], holders: [person] });
  await aRole(companyId, {
    name: "Sales desk",
    privileges: ["view_users", "api_controls"],
    orgUnitId: sales,
    holders: [person],
  });
  const cookie = await anOwnersSession(companyId);
  const { body } = await callFromPage(teamConsole.get, { cookie, params: { id: person.id } });
  const { effectivePrivileges: effective } = body as {
    effectivePrivileges: { privilege: string; through: unknown[] }[];
  };
  const through = (privilege: string) =>
    effective.find((entry) => entry.privilege === privilege)!.through;
  expect(effective).toHaveLength(14);
  expect(through("domains")).toEqual([{ kind: "direct" }]);
  expect(through("view_users")).toMatchObject([
    { kind: "role", role: { name: "All", unit: null } },
    { kind: "role", role: { name: "Sales desk", unit: { id: sales, name: "Sales" } } },
  ]);
  // Company-wide privileges don't apply through a unit's role.
  expect(through("api_controls")).toEqual([]);
  expect(through("owner")).toEqual([]);
});

test("privileges for one mailbox are shown only to admins who can see that mailbox", async () => {
  const { companyId, sales, inRoot, inSales } = await aMailCompany();
  const person = await anAdmin(companyId);
  await aRole(companyId, { privileges: ["view_users"], orgUnitId: sales, holders: [person] });
  const ask = async (cookie: string, mailbox: string) =>
    (await callFromPage(teamConsole.getMailboxPrivileges, {
      cookie,
      params: { id: person.id },
      query: { mailbox },
    })) as { status: number; body: { units: string[]; privileges: { through: unknown[] }[] } };
  const cookie = await anOwnersSession(companyId);
  const own = await ask(cookie, ` ${inSales.toUpperCase()} `);
  expect(own.body.units[0]).toBe("Sales");
  expect(own.body.privileges.map(({ through }) => through.length)).toEqual([1, 0, 0, 0, 0]);
  expect((await ask(cookie, inRoot)).body.privileges[0]!.through).toEqual([]);
  expect((await ask(cookie, "nobody@example.com")).status).toBe(404);
  const blind = await aSession(companyId, ["manage_admins"]);
  expect((await ask(blind, inSales)).status).toBe(404);
});

test("roles list the privileges that the admin can't assign and the available units", async () => {
  const { companyId, sales } = await aMailCompany();
  await aRole(companyId, { name: "More", privileges: ["view_users", "domains"] });
  const cookie = await aSession(companyId, ["manage_admins", "view_users"]);
  const { body } = await callFromPage(rolesConsole.list, { cookie });
  expect(body).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ name: "More", lacking: ["domains"] }),
    ]) as unknown,
    units: expect.arrayContaining([{ id: sales, name: "Sales", depth: 1 }]) as unknown,
    holds: ["view_users", "manage_admins"],
  });
});

test("an invitation link works once, doesn't reveal known addresses and rejects other sites", async () => {
  const { id: companyId } = await aCompany({ name: "Northwind" });
  const cookie = await anOwnersSession(companyId);
  const known = (await anAdmin((await aCompany()).id)).email;
  const looks = [];
  for (const email of [known, "nobody-yet@example.com"]) {
    const invited = await callFromPage(invitationsConsole.invite, { cookie, body: { email } });
    expect(invited.status).toBe(200);
    const token = new URL((invited.body as { link: string }).link).hash.slice(1);
    const look = await callFromPage(invitationsConsole.get, { body: { token } });
    expect(look.body).toMatchObject({
      signedInAs: null,
      invitation: { company: "Northwind", email },
    });
    looks.push({ token, keys: Object.keys((look.body as { invitation: object }).invitation) });
  }
  expect(looks[0]!.keys).toEqual(looks[1]!.keys);
  const body = { token: looks[1]!.token, name: "Nia", password: "correct horse battery" };
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  const foreign = await call(invitationsConsole.accept, { body, headers });
  expect(foreign).toMatchObject({ status: 403, body: { name: "cross_origin" } });
  const joined = await callFromPage(invitationsConsole.accept, { body });
  const session = joined.headers.get("set-cookie")!.split(";")[0]!;
  const me = await callFromPage(sessionsConsole.getMe, { cookie: session });
  expect(me.body).toMatchObject({ name: "Nia", company: { name: "Northwind" } });
  const again = await callFromPage(invitationsConsole.get, { body: { token: body.token } });
  expect(again.body).toMatchObject({ invitation: null });
});

test("joining requires a session or a password", async () => {
  const { id: companyId } = await aCompany();
  const cookie = await anOwnersSession(companyId);
  const invited = await callFromPage(invitationsConsole.invite, {
    cookie,
    body: { email: "one@example.com" },
  });
  const token = new URL((invited.body as { link: string }).link).hash.slice(1);
  const response = await callFromPage(invitationsConsole.accept, { body: { token } });
  expect(response).toMatchObject({ status: 401, body: { name: "not_signed_in" } });
});

describe("access", () => {
  type Call = [AnyEndpoint, body?: unknown, query?: Record<string, string>];

  const ROLE = { name: "New", privileges: ["view_users"], unitId: null };
  const onAdmins: Call[] = [
    [teamConsole.get],
    [teamConsole.update, { name: "x" }],
    [teamConsole.switchAccess, { on: false }],
    [teamConsole.getMailboxPrivileges, undefined, { mailbox: "ann@example.com" }],
    [teamConsole.remove],
  ];
  const onRoles: Call[] = [
    [rolesConsole.update, { ...ROLE, expected: ROLE }],
    [rolesConsole.delete],
  ];
  const onInvitations: Call[] = [[invitationsConsole.resend], [invitationsConsole.withdraw]];
  const teamCalls: Call[] = [
    [teamConsole.list],
    [rolesConsole.list],
    [rolesConsole.create, ROLE],
    [invitationsConsole.list],
    [invitationsConsole.invite, { email: "new@example.com" }],
    ...onAdmins,
    ...onRoles,
    ...onInvitations,
  ];
  const auditCalls: Call[] = [[auditConsole.list], [auditConsole.export]];
  type Input = { body?: unknown; query?: Record<string, string> };
  type Named = [string, AnyEndpoint, Input];
  const named = (calls: Call[]): Named[] =>
    calls.map(([endpoint, body, query]) => [
      `${endpoint.method} ${endpoint.path}`,
      endpoint,
      { ...(body !== undefined && { body }), ...(query && { query }) },
    ]);
  const id = randomUUID();

  test.each(named([...teamCalls, ...auditCalls]))(
    "%s requires a session",
    async (_, endpoint, input) => {
      const response = await callFromPage(endpoint, { params: { id }, ...input });
      expect(response).toMatchObject({ status: 401, body: { name: "not_signed_in" } });
    },
  );

  test.each(named(teamCalls))(
    "%s requires manage_admins for the whole company",
    async (_, endpoint, input) => {
      const { companyId, sales } = await aMailCompany();
      const { id } = await anOwner(companyId);
      const others = PRIVILEGES.filter((privilege) => privilege !== "manage_admins");
      for (const cookie of [
        await aSession(companyId, others),
        await aSessionOfRole(companyId, sales, PRIVILEGES),
      ])
        expect(await callFromPage(endpoint, { cookie, params: { id }, ...input })).toMatchObject({
          status: 403,
          body: { name: "invalid_permission" },
        });
    },
  );

  test.each(named(auditCalls))("%s requires view_audit", async (_, endpoint) => {
    const { id: companyId } = await aCompany();
    const cookie = await aSession(companyId, ["manage_admins"]);
    expect(await callFromPage(endpoint, { cookie })).toMatchObject({ status: 403 });
  });

  test.each(named([...onAdmins, ...onRoles, ...onInvitations]))(
    "%s returns 404 for objects of another company",
    async (_, endpoint, input) => {
      const { id: otherId } = await aCompany();
      const other = await anOwner(otherId);
      const invitation = { email: "x@example.com", name: "", isOwner: false, roleIds: [] };
      const ids = [other.id, (await aRole(otherId)).id, (await inviteOf(other.ctx, invitation)).id];
      const cookie = await anOwnersSession((await aCompany()).id);
      for (const id of ids)
        expect(await callFromPage(endpoint, { cookie, params: { id }, ...input })).toMatchObject({
          status: 404,
          body: { name: "not_found" },
        });
    },
  );
});

describe("ready-made roles", () => {
  const roleRows = (companyId: string) =>
    db().select().from(roles).where(eq(roles.companyId, companyId));
  const invitee = (email: string, ...roleIds: string[]) => ({ body: { email, roleIds } });

  test("are created once, when first assigned by an invitation or to an admin", async () => {
    const { id: companyId } = await aCompany();
    const cookie = await anOwnersSession(companyId);
    const other = await anAdmin(companyId);
    const send = (email: string) =>
      callFromPage(invitationsConsole.invite, { cookie, ...invitee(email, "Help desk") });
    const answers = await Promise.all(["a@x.example", "b@x.example"].map(send));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [created, ...more] = await roleRows(companyId);
    expect(more).toEqual([]);
    expect(created).toMatchObject({
      name: "Help desk",
      privileges: ["view_emails", "view_users", "reset_user_passwords"],
      orgUnitId: null,
    });
    const body = { roleIds: ["Help desk", "Developer"], expectedRoleIds: [] };
    const params = { id: other.id };
    const updated = await callFromPage(teamConsole.update, { cookie, params, body });
    expect(updated.status).toBe(200);
    const got = await callFromPage(teamConsole.get, { cookie, params });
    expect(got.body).toMatchObject({ roles: [{ name: "Developer" }, { id: created!.id }] });
    const list = await callFromPage(rolesConsole.list, { cookie });
    expect(list.body).toMatchObject({ readyMade: [{ name: "Mail admin" }, { name: "Read only" }] });
  });

  test("with View emails can be assigned by admins with API controls", async () => {
    const { id: companyId } = await aCompany();
    const privileges = ["manage_admins", "view_users", "reset_user_passwords"] as const;
    const cookie = await aSession(companyId, [...privileges, "api_controls"]);
    const sent = invitee("a@x.example", "Help desk");
    const answer = await callFromPage(invitationsConsole.invite, { cookie, ...sent });
    expect(answer.status).toBe(200);
    const { body } = await callFromPage(rolesConsole.list, { cookie });
    expect(body).toMatchObject({ holds: expect.arrayContaining(["view_emails"]) as unknown });
    const reads = await aSession(companyId, [...privileges, "view_emails"]);
    const developer = invitee("b@x.example", "Developer");
    const beyond = await callFromPage(invitationsConsole.invite, { cookie: reads, ...developer });
    expect(beyond.status).toBe(403);
  });

  test("are rejected, and not created, if they exceed the caller's privileges or another role has the name", async () => {
    const { id: companyId } = await aCompany();
    const cookie = await aSession(companyId, ["manage_admins", "view_users"]);
    const list = await callFromPage(rolesConsole.list, { cookie });
    expect(list.body).toMatchObject({
      readyMade: expect.arrayContaining([
        expect.objectContaining({
          name: "Help desk",
          lacking: ["view_emails", "reset_user_passwords"],
        }),
      ]) as unknown,
    });
    const refused = await callFromPage(invitationsConsole.invite, {
      cookie,
      ...invitee("a@x.example", "Help desk"),
    });
    expect(refused.status).toBe(403);
    expect(await roleRows(companyId)).toEqual([]);
    await aRole(companyId, { name: "help desk", privileges: ["view_users"] });
    const taken = await callFromPage(invitationsConsole.invite, {
      cookie,
      ...invitee("a@x.example", "Help desk"),
    });
    expect(taken).toMatchObject({ status: 409, body: { name: "already_exists" } });
  });
});
