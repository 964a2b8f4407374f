import { mailLog } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import { expect, test } from "./mail-server.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { companyDomain } from "./seed-mailboxes.ts";

test("an admin of a company finds what happened to a colleague's mail", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn({ privileges: ["view_users", "view_groups"] });
  const of = await companyDomain(companyId);
  const { address: ann } = await aMailbox(of, { address: `ann@${domain}` });
  const info = await anAlias(of, ann, `info@${domain}`);
  const { address: team } = await aGroup(of, { address: `team@${domain}` });
  const sender = "kim@there.example";
  const received = { kind: "received" as const, companyId, sender };
  await db()
    .insert(mailLog)
    .values([
      { ...received, recipient: info, reply: "250 2.0.0 Accepted" },
      {
        ...received,
        recipient: team,
        reply: "250 2.0.0 Accepted; waiting for a moderator of the group",
      },
      {
        kind: "refused",
        companyId,
        sender,
        recipient: `anne@${domain}`,
        reply: "550 5.1.1 No such recipient here",
      },
    ]);

  await page.goto(`/console/mailboxes/${encodeURIComponent(ann)}`);
  await page.getByRole("link", { name: "Messages" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Mail log" })).toBeFocused();
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("row").nth(1)).toContainText(info);

  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect(page.getByRole("row")).toHaveCount(4);
  await expect(page.getByRole("row", { name: team })).toContainText("Waiting");
  await expect(page.getByRole("row", { name: team })).toContainText("waiting for a moderator");
  await expect(page.getByRole("row", { name: "anne@" })).toContainText("doesn’t exist here");
  await expectNoPageFaults(page);

  // The middle of the row, which its button covers.
  await page.getByRole("row", { name: "anne@" }).click();
  await expect(page.getByRole("dialog")).toContainText("create a mailbox, alias, or group");
  await expectNoPageFaults(page);
});
