import { z } from "zod";

import type { ShownGroup } from "#server/core/mailboxes/groups/groups.ts";

const object = z.literal("group").describe("Object type");
const address = z
  .string()
  .describe("Lowercase address: identifies the group in paths and serves as the pagination cursor");

export const GroupObject = z
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

export const GroupDeleted = z.object({
  object,
  address,
  deleted: z.literal(true).describe("Always `true`"),
});

export const GroupPath = z.object({
  address: z
    .string()
    .describe("The group address. Case is ignored; URL-encoding the @ is optional"),
});

export function groupObject(group: ShownGroup): z.input<typeof GroupObject> {
  const { address, name, members, active } = group;
  return { object: "group", address, name, members, active };
}
