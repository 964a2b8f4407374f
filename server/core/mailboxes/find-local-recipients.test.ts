import { expect, test } from "vitest";

import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

import { findLocalRecipients } from "./find-local-recipients.ts";

test("finds mailboxes by name, whatever the case, and by name with a tag", async () => {
  const domain = await aDomain((await aCompany()).id);
  const at = domain.name;
  await aMailbox(domain, { address: `ann@${at}` });
  await aMailbox(domain, { address: `bob+work@${at}`, suspendedAt: new Date().toISOString() });

  const local = [`ann@${at}`, `Ann@${at}`, `ann+news@${at}`, `ann+a+b@${at}`, `bob+work@${at}`];
  const foreign = [`bob@${at}`, `bob+play@${at}`, `+ann@${at}`, "ann@elsewhere.example", `x@${at}`];
  expect(await findLocalRecipients(db(), [...local, ...foreign])).toEqual(new Set(local));
  expect(await findLocalRecipients(db(), [])).toEqual(new Set());
});
