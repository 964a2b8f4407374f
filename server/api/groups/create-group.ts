import { z } from "zod";

import { createGroup as create } from "#server/core/mailboxes/groups/create-group.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Members, Name } from "./group-fields.ts";
import { GroupObject, groupObject } from "./group-object.ts";

export const createGroup = defineEndpoint({
  method: "POST",
  path: "/groups",
  summary: "Make a group",
  description:
    "It takes mail at once, from anybody. Who may write to it and what waits for a moderator is set in the console.",
  permission: "full_access",
  privilege: "manage_groups",
  bodyLimit: "directory",
  body: z.object({
    address: z
      .preprocess(
        (written) => (typeof written === "string" && written.trim() === "" ? null : written),
        z.string(),
      )
      .meta({ type: "string" })
      .describe(
        "A free address in a verified domain of the company. Before the @ it has letters, digits and . _ + -, and starts and ends with a letter or digit",
      ),
    name: Name.describe("At most 160 characters; none when left out"),
    members: Members.describe(
      "Up to 200 addresses, in the company or outside, and never the group itself. Duplicates and case are ignored; none when left out",
    ),
  }),
  response: GroupObject,
  refusals: ["missing_required_field", "invalid", "already_exists", "mail_server_error"],
  async handle({ ctx, body: { address, name, members } }) {
    return groupObject(await create(ctx, { address, name: name ?? "", members: members ?? [] }));
  },
});
