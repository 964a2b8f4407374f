import { z } from "zod";

import { countedList, PageQuery, sortQuery } from "#server/http/lists.ts";
import { csvDownload } from "#server/http/downloads.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  explainPrivileges,
  explainPrivilegesOnMailbox,
  type PrivilegeSource,
} from "#server/core/access/admins/explain-privileges.ts";
import {
  getAdmin,
  removeAdmin,
  setAdminAccess,
  updateAdmin,
} from "#server/core/access/admins/admins.ts";
import {
  type AssignedRole,
  listAdminKeys,
  listTeam,
  readWholeTeam,
  type ShownAdmin,
} from "#server/core/access/admins/team.ts";
import { RoleIds } from "./roles.ts";
import { change, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";

const AdminPath = pathOf("Admin not found", { id: z.uuid() });

const shownAdmin = (admin: ShownAdmin, selfId: string) => ({
  id: admin.id,
  email: admin.email,
  name: admin.name,
  isOwner: admin.isOwner,
  isSelf: admin.id === selfId,
  roles: admin.roles.map(assignedRole),
  directPrivileges: admin.privileges,
  hasSecondFactor: admin.hasSecondFactor,
  isAddressConfirmed: admin.isAddressConfirmed,
  isDisabled: admin.disabledAt !== null,
  lastSeenAt: admin.lastSeenAt && consoleTimestamp(admin.lastSeenAt),
  createdAt: consoleTimestamp(admin.createdAt),
});

const assignedRole = ({ id, name, orgUnitId, unitName }: Omit<AssignedRole, "privileges">) => ({
  id,
  name,
  unit: orgUnitId === null ? null : { id: orgUnitId, name: unitName ?? "" },
});

function privilegeSource(source: PrivilegeSource) {
  if (source.kind !== "role") return source;
  const { roleId: id, roleName: name, orgUnitId, unitName } = source;
  return {
    kind: "role" as const,
    role: assignedRole({ id, name, orgUnitId, unitName }),
  };
}

/** Which admins to list, and in which order. */
const TeamSearchQuery = z.object({
  search: z.string().max(200).optional(),
  sort: sortQuery(["email", "name", "seen"], "email"),
});

const roleName = ({ name, unitName }: ShownAdmin["roles"][number]) =>
  unitName === null ? name : `${name} (${unitName})`;

/** The company's admins. */
export const teamConsole = pageEndpoints("console", "team", {
  list: read({
    privilege: "manage_admins",
    query: PageQuery.and(TeamSearchQuery),
    async handle({ ctx, signedIn, query: { search: text, sort, ...request } }) {
      const search = text || null;
      const page = await listTeam(ctx, request, search, sort);
      return countedList(page, (admin) => shownAdmin(admin, signedIn.id));
    },
  }),

  export: read({
    privilege: "manage_admins",
    query: TeamSearchQuery,
    handle: ({ ctx, query: { search, sort } }) =>
      csvDownload("team.csv", readWholeTeam(ctx, search || null, sort), {
        email: ({ email }) => email,
        name: ({ name }) => name,
        owner: ({ isOwner }) => isOwner,
        roles: ({ roles }) => roles.map(roleName).join(", "),
        direct_privileges: ({ privileges }) => privileges.join(", "),
        second_factor: ({ hasSecondFactor }) => hasSecondFactor,
        access: ({ disabledAt }) => disabledAt === null,
        last_seen_at: ({ lastSeenAt }) => lastSeenAt && consoleTimestamp(lastSeenAt),
        created_at: ({ createdAt }) => consoleTimestamp(createdAt),
      }),
  }),

  get: read({
    privilege: "manage_admins",
    params: AdminPath,
    async handle({ ctx, signedIn, params: { id } }) {
      const admin = await getAdmin(ctx, id);
      const keys = await listAdminKeys(ctx, id);
      return {
        ...shownAdmin(admin, signedIn.id),
        sessions: admin.sessions,
        effectivePrivileges: explainPrivileges(admin).map(({ privilege, through }) => ({
          privilege,
          through: through.map(privilegeSource),
        })),
        keys: keys.map((key) => ({
          id: key.id,
          name: key.name,
          prefix: key.prefix,
          lastUsedAt: key.lastUsedAt && consoleTimestamp(key.lastUsedAt),
          scheduledEmails: key.scheduledEmails,
        })),
      };
    },
  }),

  update: change({
    privilege: "manage_admins",
    params: AdminPath,
    body: z.object({
      name: z.string().max(1000).optional(),
      isOwner: z.boolean().optional(),
      /** The value as last read; the update fails if it changed since. */
      expectedIsOwner: z.boolean().optional(),
      roleIds: RoleIds.optional(),
      expectedRoleIds: z.array(z.uuid()).max(200).optional(),
      directPrivileges: z.array(z.string()).max(50).optional(),
    }),
    bodyLimit: "directory",
    async handle({ ctx, params: { id }, body }) {
      await updateAdmin(ctx, id, {
        name: body.name,
        isOwner: body.isOwner,
        expectedIsOwner: body.expectedIsOwner,
        roleIds: body.roleIds,
        expectedRoleIds: body.expectedRoleIds,
        privileges: body.directPrivileges,
      });
      return { id };
    },
  }),

  remove: change({
    privilege: "manage_admins",
    params: AdminPath,
    handle: async ({ ctx, params: { id } }) => ({
      id,
      revokedKeys: (await removeAdmin(ctx, id)).length,
    }),
  }),

  switchAccess: change({
    privilege: "manage_admins",
    params: AdminPath,
    body: z.object({ on: z.boolean() }),
    async handle({ ctx, params: { id }, body }) {
      await setAdminAccess(ctx, id, body.on);
      return { id };
    },
  }),

  getMailboxPrivileges: read({
    privilege: "manage_admins",
    params: AdminPath,
    query: z.object({ mailbox: z.string().max(320) }),
    async handle({ ctx, signedIn, params, query: { mailbox } }) {
      const found = await explainPrivilegesOnMailbox(ctx, signedIn, {
        adminId: params.id,
        mailbox,
      });
      return {
        mailbox: found.mailbox,
        units: found.units,
        privileges: found.privileges.map(({ privilege, through }) => ({
          privilege,
          through: through.map(privilegeSource),
        })),
      };
    },
  }),
});
