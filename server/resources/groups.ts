import { z } from "zod";

import { countedList, listObject, listResponse, PageQuery, sortQuery } from "#server/http/lists.ts";
import { csvDownload } from "#server/http/downloads.ts";
import {
  findMainDomain,
  findUnknownAddresses,
  listVerifiedDomains,
  requireVerifiedDomain,
} from "#server/core/mailboxes/addresses/addresses.ts";
import { changeAccess } from "#server/core/mailboxes/groups/group-access.ts";
import {
  changeMembers,
  describeMembers,
  requireKnownMembers,
} from "#server/core/mailboxes/groups/group-members.ts";
import {
  createGroup,
  deleteGroup,
  getGroup,
  type ShownGroup,
  updateGroup,
} from "#server/core/mailboxes/groups/groups.ts";
import { listGroups, readAllGroups } from "#server/core/mailboxes/groups/group-list.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Example } from "#server/http/code-samples.ts";
import { change, defineEndpoint, pageEndpoints, read } from "#server/http/endpoint.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";

/** Core validates the addresses one by one and names the first invalid one. */
const Members = z
  .array(z.unknown())
  .nullish()
  .meta({ type: "array", items: { type: "string" }, maxItems: 200 });

const Name = z.string().nullish().meta({ type: "string", maxLength: 160 });

const object = z.literal("group").describe("Object type");

const address = z
  .string()
  .describe("Lowercase address: identifies the group in paths and serves as the pagination cursor");

const GroupObject = z
  .object({
    object,
    address,
    name: z.string().describe("Name, or an empty string"),
    members: z
      .array(z.string())
      .describe(
        "Lowercase member addresses, inside or outside the company. A group without members discards its mail",
      ),
    active: z.boolean().describe("Whether mail to the address is accepted"),
  })
  .meta({ id: "Group" });

const GroupPath = z.object({
  address: z
    .string()
    .describe("The group address. Case is ignored; URL-encoding the @ is optional"),
});

function groupObject(group: ShownGroup): z.input<typeof GroupObject> {
  const { address, name, members, active } = group;
  return { object: "group", address, name, members, active };
}

const example = {
  object: "group",
  address: "team@shop.example",
  name: "Team",
  members: ["ann@shop.example", "ben@example.net"],
  active: true,
};

/** For the API reference. */
export const groupExamples: Record<string, Example> = {
  "GET /groups": {
    query: { domain: "shop.example" },
    answer: { object: "list", has_more: false, data: [example] },
  },
  "POST /groups": {
    body: { address: example.address, name: example.name, members: example.members },
    answer: example,
  },
  "GET /groups/{address}": { params: { address: example.address }, answer: example },
  "PATCH /groups/{address}": {
    params: { address: example.address },
    body: { members: ["ann@shop.example"] },
    answer: { ...example, members: ["ann@shop.example"] },
  },
  "DELETE /groups/{address}": {
    params: { address: example.address },
    answer: { object: "group", address: example.address, deleted: true },
  },
};

/** Groups, without their access settings. */
export const groupsApi = {
  list: defineEndpoint("GET", "/groups", {
    summary: "List groups",
    description: "Ordered by address; cursors are addresses.",
    privilege: "view_groups",
    query: PageQuery.and(
      z.object({
        domain: z
          .string({ error: "must appear only once" })
          .optional()
          .describe("Only groups in this domain, which must be verified"),
      }),
    ),
    response: listResponse(GroupObject),
    async handle({ ctx, query: { domain, ...page } }) {
      if (domain !== undefined) await requireVerifiedDomain(ctx, domain, "domain");
      return listObject(await listGroups(ctx, page, { domain }), groupObject);
    },
  }),

  create: defineEndpoint("POST", "/groups", {
    summary: "Create a group",
    description:
      "The group immediately accepts mail from any sender. Change who can send to it, and what is moderated, in the console.",
    privilege: "manage_groups",
    bodyLimit: "directory",
    body: z.object({
      address: blankIsMissing(z.string())
        .meta({ type: "string" })
        .describe(
          "An unused address in one of the company's verified domains. The part before the @ can have letters, digits and `. _ + -`, and must start and end with a letter or digit",
        ),
      name: Name.describe("Name of at most 160 characters"),
      members: Members.describe(
        "Up to 200 addresses, inside or outside the company, other than the group itself. Case and duplicates are ignored",
      ),
    }),
    response: GroupObject,
    refusals: ["missing_required_field", "already_exists", "mail_server_error"],
    handle: async ({ ctx, body: { address, name, members } }) =>
      groupObject(await createGroup(ctx, { address, name: name ?? "", members: members ?? [] })),
  }),

  get: defineEndpoint("GET", "/groups/{address}", {
    summary: "Retrieve a group",
    privilege: "view_groups",
    params: GroupPath,
    response: GroupObject,
    handle: async ({ ctx, params }) => groupObject(await getGroup(ctx, params.address)),
  }),

  update: defineEndpoint("PATCH", "/groups/{address}", {
    summary: "Update a group",
    description:
      "Provide `name`, `members` or both. If a member address is invalid, nothing changes.",
    privilege: "manage_groups",
    bodyLimit: "directory",
    params: GroupPath,
    body: z
      .object({
        name: Name.describe("Name of at most 160 characters; an empty string removes it"),
        members: Members.describe(
          "Complete new list of up to 200 addresses, which replaces the current members. `[]` removes all",
        ),
      })
      .prefault({}),
    response: GroupObject,
    refusals: ["mail_server_error"],
    async handle({ ctx, params: { address }, body: { name, members } }) {
      const change = { name: name ?? undefined, members: members ?? undefined };
      return groupObject(await updateGroup(ctx, address, change));
    },
  }),

  delete: defineEndpoint("DELETE", "/groups/{address}", {
    summary: "Delete a group",
    description:
      "Deletes the group with its access settings and member list; its address is free at once. The members' mailboxes are not affected. In the console, owners can restore it for 20 days, unless the operator changed `keep_deleted_days`.",
    privilege: "owner",
    params: GroupPath,
    response: z.object({
      object,
      address,
      deleted: z.literal(true).describe("Always `true`"),
    }),
    refusals: ["mail_server_error"],
    async handle({ ctx, params }) {
      const { address } = await deleteGroup(ctx, params.address);
      return { object: "group" as const, address, deleted: true as const };
    },
  }),
};

const listedGroup = ({ address: id, name, active, posting, memberCount }: ShownGroup) => ({
  id,
  name,
  active,
  posting,
  memberCount,
});

async function shownGroup(ctx: Context, group: ShownGroup) {
  const { address: id, name, members, active, posting, posters, moderation, moderators } = group;
  return {
    id,
    name,
    members,
    units: group.units,
    memberCount: group.memberCount,
    describedMembers: await describeMembers(ctx, members),
    active,
    posting,
    posters,
    moderation,
    moderators,
    replies: group.replies,
    membersSendAs: group.membersSendAs,
  };
}

/** The column is an int4. */
const UnitIds = z.array(z.int().min(1).max(2_147_483_647)).max(100);

/** Which groups to list, and in which order. */
const GroupSearchQuery = z.object({
  /** Part of the address, name, a member's address, or a unit's name. */
  search: z.string().max(200).optional(),
  sort: sortQuery(["address", "name", "members"], "address"),
});

/** Groups, and who can send to them. */
export const groupsConsole = pageEndpoints("console", "groups", {
  list: read({
    privilege: "view_groups",
    query: PageQuery.and(GroupSearchQuery),
    async handle({ ctx, query: { search, sort, ...request } }) {
      const page = await listGroups(ctx, request, { search }, sort);
      return countedList(page, listedGroup);
    },
  }),

  export: read({
    privilege: "view_groups",
    query: GroupSearchQuery,
    handle: ({ ctx, query: { search, sort } }) =>
      csvDownload("groups.csv", readAllGroups(ctx, { search }, sort), {
        address: ({ address }) => address,
        name: ({ name }) => name,
        active: ({ active }) => active,
        posting: ({ posting }) => posting,
        moderation: ({ moderation }) => moderation,
        replies: ({ replies }) => replies,
        members: ({ members }) => members.join(" "),
        units: ({ units }) => units.map(({ name }) => name).join("; "),
      }),
  }),

  getOptions: read({
    privilege: "manage_groups",
    async handle({ ctx }) {
      const [domains, main] = await Promise.all([listVerifiedDomains(ctx), findMainDomain(ctx)]);
      return { domains, mainDomain: main };
    },
  }),

  create: change({
    privilege: "manage_groups",
    bodyLimit: "directory",
    body: z.object({
      address: z.string(),
      name: z.string(),
      members: z.array(z.string()),
      units: UnitIds.optional(),
      posting: z.enum(["anyone", "company", "members"]).default("anyone"),
    }),
    async handle({ ctx, body }) {
      await requireKnownMembers(ctx, body.members, "members");
      return shownGroup(ctx, await createGroup(ctx, body));
    },
  }),

  get: read({
    privilege: "view_groups",
    params: GroupPath,
    handle: async ({ ctx, params }) => shownGroup(ctx, await getGroup(ctx, params.address)),
  }),

  update: change({
    privilege: "manage_groups",
    bodyLimit: "directory",
    params: GroupPath,
    body: z.object({ name: z.string() }),
    handle: async ({ ctx, params, body }) =>
      shownGroup(ctx, await updateGroup(ctx, params.address, body)),
  }),

  changeMembers: change({
    privilege: "manage_groups",
    bodyLimit: "directory",
    params: GroupPath,
    body: z
      .object({
        add: z.array(z.string()),
        remove: z.array(z.string()),
        addUnits: UnitIds,
        removeUnits: UnitIds,
      })
      .partial(),
    async handle({ ctx, params, body }) {
      await requireKnownMembers(ctx, body.add ?? [], "add");
      return shownGroup(ctx, await changeMembers(ctx, params.address, body));
    },
  }),

  checkAddresses: change({
    privilege: "manage_groups",
    bodyLimit: "directory",
    body: z.object({ addresses: z.array(z.string().max(320)).max(200) }),
    handle: async ({ ctx, body }) => ({ unknown: await findUnknownAddresses(ctx, body.addresses) }),
  }),

  updateAccess: change({
    privilege: "manage_groups",
    bodyLimit: "directory",
    params: GroupPath,
    body: z
      .object({
        active: z.boolean(),
        posting: z.enum(["anyone", "company", "members", "listed"]),
        posters: z.array(z.string()),
        moderation: z.enum(["none", "strangers", "all"]),
        moderators: z.array(z.string()),
        replies: z.enum(["author", "group"]),
        membersSendAs: z.boolean(),
      })
      .partial(),
    handle: async ({ ctx, params, body }) =>
      shownGroup(ctx, await changeAccess(ctx, params.address, body)),
  }),

  delete: change({
    privilege: "owner",
    params: GroupPath,
    async handle({ ctx, params }) {
      const { address: id, deletedId } = await deleteGroup(ctx, params.address);
      return { id, deletedId };
    },
  }),
});
