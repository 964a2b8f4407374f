import { z } from "zod";

import { createGroup as create } from "#server/core/mailboxes/groups/groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";

import { Members, Name } from "./group-fields.ts";
import { GroupObject, groupObject } from "./group-object.ts";

export const createGroup = defineEndpoint({
  method: "POST",
  path: "/groups",
  summary: "Create a group",
  description:
    "The group immediately accepts mail from any sender. Change who can send to it, and what is moderated, in the console.",
  permission: "full_access",
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
  refusals: ["missing_required_field", "invalid", "already_exists", "mail_server_error"],
  async handle({ ctx, body: { address, name, members } }) {
    return groupObject(await create(ctx, { address, name: name ?? "", members: members ?? [] }));
  },
});
