import { z } from "zod";

import type { Alias } from "#drizzle/schema/index.ts";

import { MailboxPath } from "./mailbox-object.ts";

const object = z.literal("alias").describe("Object type");
const address = z.string().describe("Lowercase address");
const mailbox = z.string().describe("Address of the mailbox the alias belongs to");

export const AliasObject = z
  .object({
    object,
    address,
    mailbox,
    active: z.boolean().describe("Whether mail to the address is accepted"),
  })
  .meta({ id: "Alias" });

export const AliasRemoved = z
  .object({
    object,
    address,
    mailbox,
    deleted: z.literal(true).describe("Always `true`"),
  })
  .meta({ id: "AliasRemoved" });

export const AliasPath = MailboxPath.extend({
  address: z.string().describe("The alias. Case is ignored; URL-encoding the @ is optional"),
});

export const aliasObject = ({ address, mailbox, active }: Alias) => ({
  object: "alias" as const,
  address,
  mailbox,
  active,
});
