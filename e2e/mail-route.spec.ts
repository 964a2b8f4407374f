import { aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import { expect, test } from "./mail-server.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { companyDomain } from "./seed-mailboxes.ts";

test("the overview, the list and the palette show where mail to an address goes", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn({ isOwner: true });
  const of = await companyDomain(companyId);
  const ann = await aMailbox(of, { address: `ann@${domain}`, name: "Ann Lee" });
  await anAlias(of, ann.address, `info@${domain}`);
  await aGroup(of, { address: `sales@${domain}`, members: [`info@${domain}`, "x@there.example"] });
  const path = page.getByRole("list", { name: "Path" });

  await page.goto("/console/overview");
  await page.getByRole("textbox", { name: "Email address" }).fill(`sales@${domain}`);
  await page.getByRole("button", { name: "Check address" }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: "Where does this address go?" }),
  ).toBeFocused();
  await expect(page.getByText("Accepted", { exact: true })).toBeVisible();
  await expect(path.getByRole("link")).toHaveText([`sales@${domain}`, ann.address]);
  await expect(path).toContainText(`info@${domain} → ${ann.address}`);
  await expect(path).toContainText("x@there.exampleOutside your company");
  await expectNoPageFaults(page);

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(`nobody@${domain}`);
  await page.getByRole("option", { name: `Where does mail to nobody@${domain} go?` }).click();
  await expect(page.getByText("Rejected", { exact: true })).toBeVisible();
  await expect(page.getByText("5.1.1 No such recipient here")).toBeVisible();

  await page.goto("/console/mailboxes");
  await page.getByRole("searchbox", { name: "Search mailboxes" }).fill("INFO@");
  await expect(page.getByRole("link", { name: ann.address })).toBeVisible();
  await page.getByRole("link", { name: "Where does an address go?" }).click();
  await page.getByRole("textbox", { name: "Email address" }).fill("ann");
  await page.getByRole("button", { name: "Check address" }).click();
  await expect(page.getByText(/must be a valid address/)).toBeVisible();
});
