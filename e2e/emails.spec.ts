import { emails as emailTable } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { expect, test } from "./fixtures.ts";
import { addEvents, seedEmails } from "./seed.ts";

test("an email sent through the API appears in the list, and its page shows what happened", async ({
  page,
  signIn,
  sendEmail,
}) => {
  const me = await signIn();
  await page.goto("/console/emails");
  await expect(page.getByRole("heading", { name: "Send your first email" })).toBeVisible();

  // The list updates automatically.
  const id = await sendEmail(me, { subject: "Your receipt" });
  const row = page.getByRole("row", {
    name: /ben@example\.net.*Your receipt.*Sent.*(ago|just now)/,
  });
  await expect(row).toBeVisible();
  await row.getByRole("link").click();

  await expect(page.getByRole("heading", { name: "Your receipt" })).toBeVisible();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByRole("listitem")).toHaveCount(1);
  await expect(timeline.getByText("Accepted and queued for delivery.")).toBeVisible();

  await addEvents(me.companyId, id, [
    { type: "delivery_delayed", recipient: "ben@example.net", dsn: "4.2.2", message: "452 full" },
    {
      type: "bounced",
      recipient: "ben@example.net",
      dsn: "5.1.1",
      message: "550 5.1.1 no such user",
    },
  ]);
  await expect(timeline.getByText("The mailbox does not exist at example.net.")).toBeVisible();
  await expect(timeline.getByText("550 5.1.1 no such user")).toBeVisible();
  await expect(timeline.getByRole("listitem")).toHaveCount(3);

  await page.getByRole("button", { name: "Copy ID", exact: true }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
});

test("an email's page has code that sends it, in several languages", async ({
  page,
  signIn,
  sendEmail,
  appliance,
}) => {
  const me = await signIn();
  const id = await sendEmail(me, { subject: "It's here" });
  await page.goto(`/console/emails/${id}`);
  await page.getByRole("tab", { name: "Code" }).click();
  await page.getByRole("button", { name: "Copy curl code" }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toContain(`curl ${appliance.url}/emails`);
  const body: unknown = JSON.parse(
    command.slice(command.indexOf("-d '") + 4, -1).replaceAll(`'\\''`, "'"),
  );
  expect(body).toEqual({
    from: `Northwind <hello@${me.domain}>`,
    to: ["ben@example.net"],
    subject: "It's here",
    html: "<p>Thank you.</p>",
  });
  await page.getByText("Python", { exact: true }).click();
  await expect(page.getByRole("region", { name: "Python code" })).toContainText("requests.post");
});

test("pages of the list stay stable when emails arrive, and link back to the top", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  const rows = await seedEmails(me, 45);
  await page.goto("/console/emails");
  const table = page.getByRole("table");
  await expect(table.getByRole("row")).toHaveCount(21);

  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL(/\?after=/);
  await expect(table.getByRole("link").first()).toHaveAttribute("href", new RegExp(rows[20]!.id));
  await page.getByRole("link", { name: "Next" }).click();
  await expect(table.getByRole("row")).toHaveCount(6);
  await expect(page.getByRole("link", { name: "Next" })).toBeHidden();

  // A new email doesn't shift this page.
  const [newest] = rows;
  await db()
    .insert(emailTable)
    .values({ ...newest!, id: newest!.id.replace(/.$/, "f"), createdAt: new Date().toISOString() });
  await page.getByRole("link", { name: "Previous" }).click();
  await expect(table.getByRole("link").first()).toHaveAttribute("href", new RegExp(rows[20]!.id));
  await page.getByRole("link", { name: "Previous" }).click();
  await expect(table.getByRole("link").first()).toHaveAttribute("href", new RegExp(rows[0]!.id));
  await page.getByRole("link", { name: "Previous" }).click();
  await expect(page).toHaveURL(/\/console\/emails$/);
});

test("a row flags problems with some recipients", async ({ page, signIn }) => {
  await seedEmails(await signIn(), 4);
  await page.goto("/console/emails");
  await expect(
    page.getByRole("row", { name: /Delivered Bounced for at least one recipient/ }),
  ).toHaveCount(1);
});

test("j and k move between rows and Enter opens one", async ({ page, signIn }) => {
  const rows = await seedEmails(await signIn(), 3);
  await page.goto("/console/emails");
  await expect(page.getByRole("row")).toHaveCount(4);
  for (const key of ["j", "j", "j", "j", "k", "Enter"]) await page.keyboard.press(key);
  await expect(page).toHaveURL(new RegExp(rows[1]!.id));
});

test("an admin without the privilege sees why the list isn't shown", async ({ page, signIn }) => {
  await signIn({ privileges: ["domains"] });
  await page.goto("/console/emails");
  const alert = page.getByRole("alert").filter({ hasText: "You don’t have access to the emails" });
  await expect(alert).toContainText("API controls");
});

test("another company's email isn't found", async ({ page, signIn }) => {
  await signIn();
  await page.goto("/console/emails/01900000-0000-7000-8000-000000000000");
  await expect(page.getByRole("alert").filter({ hasText: "Email not found" })).toBeVisible();
});

test("a failed request shows the error and the request ID, and can be retried", async ({
  page,
  signIn,
}) => {
  await signIn();
  let isBroken = true;
  await page.route("**/console/api/emails/list?*", (route) =>
    isBroken
      ? route.fulfill({
          status: 429,
          headers: { "x-request-id": "3f1c" },
          json: { statusCode: 429, name: "rate_limit_exceeded", message: "Too many requests" },
        })
      : route.continue(),
  );
  await page.goto("/console/emails");
  const alert = page.getByRole("alert").filter({ hasText: "Couldn’t load the emails" });
  await expect(alert).toContainText("Too many requests.");
  await expect(alert).toContainText("3f1c");
  isBroken = false;
  await alert.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "Send your first email" })).toBeVisible();
});

test("test emails are listed apart, and their page shows what would have been sent", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  const [row] = await seedEmails(me, 1);
  const id = row!.id.replace(/.$/, "f");
  await db()
    .insert(emailTable)
    .values({ ...row!, id, isTest: true });
  await page.goto("/console/emails");
  const mode = page.getByRole("navigation", { name: "Mode" }).getByRole("link", { name: "Test" });
  await mode.click();
  const link = page.getByRole("row", { name: /Test/ }).getByRole("link").first();
  await expect(link).toHaveAttribute("href", new RegExp(id));
  await expect(mode).toHaveAttribute("aria-current", "true");
  await link.click();
  await expect(page.getByText("Sent in test mode. Nothing was delivered.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Content" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Resend email" })).toBeHidden();
});
