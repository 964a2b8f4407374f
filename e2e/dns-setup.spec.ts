import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { answerDnsSetup, setUpResults } from "./dns-setup-answers.ts";
import { anUnverifiedDomain } from "./seed-domains.ts";

const TOKEN = "cf-secret-token";

// The provider's answers are faked at the endpoints; server/core/domains/dns-setup tests them against fake APIs.
test("publishes the records through the DNS provider after a review", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["api_controls", "domains"] });
  const name = `d${Math.random().toString(36).slice(2)}.northwind-mail.com`;
  const { id } = await anUnverifiedDomain(companyId, name);
  const bodies = await answerDnsSetup(page, name);
  const checks: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/domains/verify?")) checks.push(request.method());
  });

  await page.goto(`/console/domains/${id}`);
  await expect(page.getByRole("button", { name: "Set up automatically" })).toBeHidden();
  await page.getByLabel("DNS provider").selectOption("Cloudflare");
  await expect(page.getByRole("columnheader", { name: "Content" }).first()).toBeVisible();
  await page.getByRole("button", { name: "Set up automatically" }).click();

  // A rejected token is an error at its field, and stays.
  const dialog = page.getByRole("dialog");
  const token = dialog.getByRole("textbox", { name: "API token" });
  await token.fill("wrong");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText(/Cloudflare rejected the token/)).toBeVisible();
  await expect(token).toHaveValue("wrong");
  await expect(token).toBeFocused();
  await expectNoPageFaults(page);

  await token.fill(TOKEN);
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("region", { name: "Replace", exact: true })).toContainText(
    "v=spf1 include:_spf.google.com ~all",
  );
  await expect(dialog.getByRole("region", { name: /^Blocked/ })).toContainText("CNAME");
  await expectNoPageFaults(page);
  await expect(dialog.getByRole("button", { name: "Publish 2 records" })).toBeVisible();
  await dialog
    .getByRole("checkbox", { name: `Route incoming mail for ${name} to this server` })
    .check();
  await dialog.getByRole("button", { name: "Publish 3 records" }).click();

  // A partial failure says what was published, and a retry starts with the token.
  await expect(dialog.getByRole("status")).toHaveText(/^Published 2 of 4 records\./);
  await expect(dialog.getByText("Cloudflare rejected the request")).toBeVisible();
  await expect.poll(() => checks).toEqual(["POST"]);
  await expectNoPageFaults(page);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(token).toHaveValue("");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();

  expect(bodies.at(-1)).toMatchObject({ token: TOKEN, digest: "d1", confirmed: ["mx"] });
  expect(setUpResults(name)).toHaveLength(4);
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]),
  );
  expect(stored).not.toContain(TOKEN);
});
