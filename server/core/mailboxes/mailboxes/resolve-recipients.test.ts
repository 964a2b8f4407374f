import { expect, test } from "vitest";

import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

import { resolveRecipients } from "./resolve-recipients.ts";

test("resolves local addresses in any case, with or without a tag", async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  const upper = address.toUpperCase();
  const tagged = upper.replace("@", "+Tag@");
  const found = await resolveRecipients(db(), [upper, tagged]);
  expect([...found].map(([given, { kind }]) => [given, kind])).toEqual([
    ...[
      [upper, "mailbox"],
      [tagged, "mailbox"],
    ],
  ]);
  for (const recipient of found.values()) expect(recipient).toMatchObject({ mailbox: address });
});
