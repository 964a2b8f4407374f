import { z } from "zod";

import type { Alias } from "#drizzle/schema/index.ts";

import { MailboxPath } from "./mailbox-object.ts";

const object = z.literal("alias").describe("What kind of object this is");
const address = z.string().describe("The address, in lower case");
const mailbox = z.string().describe("Address of the mailbox that it belongs to");

/** Another address of a mailbox. */
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
    deleted: z.literal(true).describe("Mail to it is no longer accepted"),
  })
  .meta({ id: "AliasRemoved" });

export const AliasPath = MailboxPath.extend({
  address: z.string().describe("The alias in any case, its @ URL-encoded or not"),
});

export const aliasObject = ({ address, mailbox, active }: Alias) => ({
  object: "alias" as const,
  address,
  mailbox,
  active,
});
