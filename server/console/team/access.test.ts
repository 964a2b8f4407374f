import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import { exportAudit } from "#server/console/audit/export-audit.ts";
import { listAudit } from "#server/console/audit/list-audit.ts";
import { invite } from "#server/console/invitations/invite.ts";
import { listInvitations } from "#server/console/invitations/list-invitations.ts";
import { resendInvitation } from "#server/console/invitations/resend-invitation.ts";
import { withdrawInvitation } from "#server/console/invitations/withdraw-invitation.ts";
import { createRole } from "#server/console/roles/create-role.ts";
import { deleteRole } from "#server/console/roles/delete-role.ts";
import { listRoles } from "#server/console/roles/list-roles.ts";
import { updateRole } from "#server/console/roles/update-role.ts";
import { invite as inviteOf } from "#server/core/access/invitations/invite.ts";
import { PRIVILEGES } from "#server/core/access/rights/privileges.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import {
  aMailCompany,
  anOwnersSession,
  aSessionOfRole,
} from "#server/testing/console-mailboxes.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany } from "#server/testing/factories.ts";
import { anOwner, aRole } from "#server/testing/team.ts";

import { getPerson } from "./get-person.ts";
import { getRightsForMailbox } from "./get-rights-for-mailbox.ts";
import { listTeam } from "./list-team.ts";
import { removePerson } from "./remove-person.ts";
import { switchAccess } from "./switch-access.ts";
import { updatePerson } from "./update-person.ts";

type Call = [AnyEndpoint, body?: unknown, query?: Record<string, string>];

const ROLE = { name: "New", privileges: ["view_users"], unit_id: null };
const ofPeople: Call[] = [
  [getPerson],
  [updatePerson, { name: "x" }],
  [switchAccess, { on: false }],
  [getRightsForMailbox, undefined, { mailbox: "ann@example.com" }],
  [removePerson],
];
const ofRoles: Call[] = [[updateRole, { ...ROLE, expected: ROLE }], [deleteRole]];
const ofInvitations: Call[] = [[resendInvitation], [withdrawInvitation]];
const ofTeam: Call[] = [
  [listTeam],
  [listRoles],
  [createRole, ROLE],
  [listInvitations],
  [invite, { email: "new@example.com" }],
  ...ofPeople,
  ...ofRoles,
  ...ofInvitations,
];
const ofAudit: Call[] = [[listAudit], [exportAudit]];
type Given = { body?: unknown; query?: Record<string, string> };
type Named = [string, AnyEndpoint, Given];
const named = (calls: Call[]): Named[] =>
  calls.map(([endpoint, body, query]) => [
    `${endpoint.method} ${endpoint.path}`,
    endpoint,
    { ...(body !== undefined && { body }), ...(query && { query }) },
  ]);
const id = randomUUID();

test.each(named([...ofTeam, ...ofAudit]))(
  "%s: nobody signed in is 401",
  async (_, endpoint, given) => {
    const answered = await callFromPage(endpoint, { params: { id }, ...given });
    expect(answered).toMatchObject({ status: 401, body: { name: "not_signed_in" } });
  },
);

test.each(named(ofTeam))(
  "%s: without manage_admins it is 403, and a role of a unit does not give it",
  async (_, endpoint, given) => {
    const { companyId, sales } = await aMailCompany();
    const { id } = await anOwner(companyId);
    const others = PRIVILEGES.filter((each) => each !== "manage_admins");
    for (const cookie of [
      await aSession(companyId, others),
      await aSessionOfRole(companyId, sales, PRIVILEGES),
    ])
      expect(await callFromPage(endpoint, { cookie, params: { id }, ...given })).toMatchObject({
        ...{ status: 403, body: { name: "invalid_permission" } },
      });
  },
);

test.each(named(ofAudit))("%s: without view_audit it is 403", async (_, endpoint) => {
  const { id: companyId } = await aCompany();
  const cookie = await aSession(companyId, ["manage_admins"]);
  expect(await callFromPage(endpoint, { cookie })).toMatchObject({ status: 403 });
});

test.each(named([...ofPeople, ...ofRoles, ...ofInvitations]))(
  "%s: another company's does not exist here",
  async (_, endpoint, given) => {
    const { id: otherId } = await aCompany();
    const other = await anOwner(otherId);
    const input = { email: "x@example.com", name: "", isOwner: false, roleIds: [] };
    const ids = [other.id, (await aRole(otherId)).id, (await inviteOf(other.ctx, input)).id];
    const cookie = await anOwnersSession((await aCompany()).id);
    for (const id of ids)
      expect(await callFromPage(endpoint, { cookie, params: { id }, ...given })).toMatchObject({
        ...{ status: 404, body: { name: "not_found" } },
      });
  },
);
