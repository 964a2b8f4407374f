import { emailAttachments, emails } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aTemplate } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { templatesInEveryState } from "./seed-templates.ts";

test.use({ expectedConsoleErrors: /Content Security Policy|sandboxed/ });

test("a template is written, previewed, published and sent", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await page.goto("/console/templates");
  await expect(page.getByRole("heading", { name: "Create your first template" })).toBeVisible();
  await page.getByRole("link", { name: "Create template" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Welcome");
  await page.getByLabel("Alias").fill("a b");
  await page.getByLabel("Subject").fill("Hello {{{NAME}}}");
  await page.getByLabel("HTML").fill("<h1>Order {{{ORDER}}}</h1>");
  await page.getByLabel("Fallback value of NAME").fill("you");
  await page.getByLabel("Type of ORDER").selectOption("number");
  await page.getByLabel("Sample value of ORDER").fill("7");
  const preview = page.frameLocator("iframe");
  await expect(preview.getByRole("heading", { name: "Order 7" })).toBeVisible();
  await expect(page.getByText("Hello you")).toBeVisible();
  await page.getByRole("button", { name: "Create template" }).click();
  await expect(page.getByText("Alias must be 1 to 100 letters")).toBeVisible();
  await expect(page.getByLabel("Alias")).toBeFocused();
  await page.getByLabel("Alias").fill("welcome");
  await page.getByRole("button", { name: "Create template" }).click();

  await expect(page.getByRole("heading", { name: "Welcome", level: 1 })).toBeVisible();
  await expect(page.getByText("Draft", { exact: true })).toBeVisible();
  await page.getByLabel("Sample value of ORDER").fill("7");
  await page.getByRole("button", { name: "Send test" }).click();
  const dialog = page.getByRole("dialog", { name: "Send test" });
  await dialog.getByLabel("To").fill("nonsense");
  await dialog.getByRole("button", { name: "Send test" }).click();
  await expect(dialog.getByText("“nonsense” must be")).toBeVisible();
  await expectNoPageFaults(page);
  await dialog.getByLabel("To").fill("ann@outside.example");
  await dialog.getByRole("button", { name: "Send test" }).click();
  await expect(page.getByText("Test sent")).toBeVisible();
  const sentBy = async () =>
    (await db().select().from(emails)).filter((email) => email.companyId === companyId);
  expect(await sentBy()).toMatchObject([{ subject: "Hello you" }]);
  await page.getByRole("button", { name: "Publish template" }).click();
  await expect(page.getByText("Template published")).toBeVisible();
  await page.getByRole("link", { name: "Compose email" }).click();

  await expect(page.getByRole("combobox", { name: "Template" })).toHaveValue(/-/);
  await page.getByRole("button", { name: "Send email" }).click();
  await expect(page.getByText(/Template variable .ORDER. has no fallback value/)).toBeVisible();
  await page.getByLabel("ORDER").fill("42");
  await expect(preview.getByRole("heading", { name: "Order 42" })).toBeVisible();
  await page.getByRole("button", { name: "Send email" }).click();
  await expect(page.getByRole("heading", { name: "Hello you" })).toBeVisible();
  expect((await sentBy()).map(({ subject }) => subject)).toEqual(["Hello you", "Hello you"]);
});

test("a draft survives leaving the page, and only publishing changes what is sent", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  const { id } = await aTemplate(companyId, {
    subject: "One",
    html: "<h1>One</h1>",
    variables: [],
  });
  await page.goto(`/console/templates/${id}`);
  await page.getByLabel("HTML").fill("<h1>Two</h1>");
  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByRole("tab", { name: "Content" }).click();
  await expect(page.getByText("Restored what you typed before.")).toBeVisible();
  await page.getByRole("button", { name: "Save draft" }).click();
  await expect(page.getByText("Published, with a draft")).toBeVisible();
  await page.goto(`/console/emails/new?template=${id}`);
  const preview = page.frameLocator("iframe");
  await expect(preview.getByRole("heading", { name: "One" })).toBeVisible();

  await page.goto(`/console/templates/${id}`);
  await page.getByRole("button", { name: "Publish template" }).click();
  await expect(page.getByText("Published", { exact: true })).toBeVisible();
  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByRole("button", { name: "Show version 1" }).click();
  await expect(preview.getByRole("heading", { name: "One" })).toBeVisible();
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await expect(page.getByText("Version 1 restored as a draft")).toBeVisible();
  await expect(page.getByLabel("HTML")).toHaveValue("<h1>One</h1>");
});

test("a template is duplicated and deleted from the list", async ({ page, signIn }) => {
  const me = await signIn();
  await templatesInEveryState(me);
  await page.goto("/console/templates");
  await page.getByRole("button", { name: "Actions for Password reset" }).click();
  await page.getByRole("menuitem", { name: "Duplicate template" }).click();
  await expect(page.getByRole("heading", { name: "Password reset (copy)" })).toBeVisible();
  await page.goto("/console/templates");
  await expect(
    page.getByRole("row", { name: /Order shipped.*Published, with a draft/ }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Actions for Order shipped" }).click();
  await page.getByRole("menuitem", { name: "Delete template" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete template" }).click();
  await expect(page.getByText("Template deleted")).toBeVisible();
  await expect(page.getByRole("row", { name: /Order shipped/ })).toHaveCount(0);
});

test("copies, a reply address and attachments are sent", async ({ page, signIn }) => {
  await signIn();
  await page.goto("/console/emails/new");
  for (const [name, value] of [
    ["Cc", "cy@example.net"],
    ["Bcc", "dora@example.net"],
    ["Reply-To", "desk@example.net"],
  ] as const) {
    await page.getByRole("button", { name: `Add ${name}` }).click();
    await expect(page.getByLabel(name, { exact: true })).toBeFocused();
    await page.getByLabel(name, { exact: true }).fill(value);
  }
  await page.getByLabel("Subject").fill("With a file");
  const buffer = Buffer.from("Hello");
  await page.setInputFiles("input[type=file]", [
    {
      name: "large.bin",
      mimeType: "application/octet-stream",
      buffer: Buffer.alloc(20.5 * 1024 * 1024),
    },
    { name: "note.txt", mimeType: "text/plain", buffer },
  ]);
  await expect(page.getByText("Attachments can have at most 20 MB in total.")).toBeVisible();
  await page.getByRole("button", { name: "Remove large.bin" }).click();
  await expect(page.getByText("5 bytes of 20 MB")).toBeVisible();
  await page.getByRole("button", { name: "Send email" }).click();
  await expect(page.getByRole("heading", { name: "With a file" })).toBeVisible();
  const id = page.url().split("/").at(-1)!;
  const email = (await db().select().from(emails)).find((email) => email.id === id);
  expect(email).toMatchObject({
    cc: ["cy@example.net"],
    bcc: ["dora@example.net"],
    replyTo: ["desk@example.net"],
  });
  const file = (await db().select().from(emailAttachments)).find(({ emailId }) => emailId === id);
  expect(file).toMatchObject({ filename: "note.txt", content: buffer });
});

test("the template pages are accessible and fit the screen", async ({ page, signIn }) => {
  const me = await signIn();
  const { shipped } = await templatesInEveryState(me);
  const preview = page.frameLocator("iframe");
  for (const path of [shipped.id, `${shipped.id}?tab=versions`]) {
    await page.goto(`/console/templates/${path}`);
    await preview.getByRole("heading").waitFor();
    await expectNoPageFaults(page);
  }
  await page.goto("/console/templates/new");
  await page.getByRole("button", { name: "Create template" }).click();
  await expect(page.getByText("Name is required")).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto(`/console/emails/new?template=${shipped.id}`);
  await page.getByRole("button", { name: "Add Cc" }).click();
  await page.setInputFiles("input[type=file]", [
    { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") },
  ]);
  await preview.getByRole("heading").waitFor();
  await expectNoPageFaults(page);
});
