import { z } from "zod";

import type { ShownGroup } from "#server/core/mailboxes/groups/shown-group.ts";

const object = z.literal("group").describe("What kind of object this is");
const address = z
  .string()
  .describe("The group's address in lower case; names it in paths and serves as cursor");

/** An address whose mail goes to all its members. */
export const GroupObject = z
  .object({
    object,
    address,
    name: z.string().describe("Its name, or an empty string"),
    members: z
      .array(z.string())
      .describe(
        "Addresses of members in lower case, in the company or outside. Without members the group's mail is discarded",
      ),
    active: z.boolean().describe("Whether mail to the address is taken"),
  })
  .meta({ id: "Group" });

export const GroupDeleted = z.object({
  object,
  address,
  deleted: z.literal(true).describe("It is gone"),
});

export const GroupPath = z.object({
  address: z.string().describe("Address of the group in any case, URL-encoded or not"),
});

export function groupObject(group: ShownGroup): z.input<typeof GroupObject> {
  const { address, name, members, active } = group;
  return { object: "group", address, name, members, active };
}
