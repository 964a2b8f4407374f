import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import { auditConsole } from "./audit/console.ts";
import { invitationsConsole } from "#server/resources/invitations.ts";
import { rolesConsole } from "#server/resources/roles.ts";
import { invite as inviteOf } from "#server/core/access/invitations/invitations.ts";
import { PRIVILEGES } from "#server/core/access/privileges/privileges.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import {
  aMailCompany,
  anOwnersSession,
  aSessionOfRole,
} from "#server/testing/console-mailboxes.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany } from "#server/testing/factories.ts";
import { anOwner, aRole } from "#server/testing/team.ts";

import { teamConsole } from "./team.ts";

type Call = [AnyEndpoint, body?: unknown, query?: Record<string, string>];

const ROLE = { name: "New", privileges: ["view_users"], unitId: null };
const onAdmins: Call[] = [
  [teamConsole.get],
  [teamConsole.update, { name: "x" }],
  [teamConsole.switchAccess, { on: false }],
  [teamConsole.getMailboxPrivileges, undefined, { mailbox: "ann@example.com" }],
  [teamConsole.remove],
];
const onRoles: Call[] = [[rolesConsole.update, { ...ROLE, expected: ROLE }], [rolesConsole.delete]];
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
        ...{ status: 403, body: { name: "invalid_permission" } },
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
        ...{ status: 404, body: { name: "not_found" } },
      });
  },
);
