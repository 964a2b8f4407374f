import type { Page } from "@playwright/test";

import { aMailboxOnAMailHost } from "#server/testing/on-a-mail-host.ts";
import { companyNow, isHeldNow } from "#server/testing/operators.ts";
import { aQueueInEveryState } from "#server/testing/queue-in-every-state.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { signInWithCookie } from "./session.ts";
import { aMailLog, anOperator, aRaisedAlarm, companiesInEveryState } from "./seed-operate.ts";

async function signInAsOperator(page: Page, url: string) {
  const { cookie, ...operator } = await anOperator();
  await signInWithCookie(page, url, cookie);
  return operator;
}

test("owners who aren't operators can't open the operator pages", async ({ page, signIn }) => {
  await signIn({ isOwner: true });
  await page.goto("/console/operate/companies");
  await expect(
    page.getByRole("alert").filter({ hasText: "You can’t view the operator pages" }),
  ).toBeVisible();
  await expect(page.getByRole("link", { name: "Plans" })).toHaveCount(0);
});

test("creating a company shows its owner's invitation link, and search finds the company", async ({
  page,
  appliance,
}) => {
  await signInAsOperator(page, appliance.url);
  const name = `Adventure Works ${Date.now()}`;
  await page.goto("/console/overview");
  const navigation = page.getByRole("navigation", { name: "Console" });
  await expect(navigation.getByRole("link", { name: "Plans" })).toHaveCount(0);
  await page.getByRole("link", { name: "Operate" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Health" })).toBeVisible();
  await expect(navigation.getByRole("link", { name: "Emails" })).toHaveCount(0);
  await navigation.getByRole("link", { name: "Companies" }).click();
  await page.getByRole("link", { name: "Create company" }).click();
  await page.getByLabel("Company name").fill(name);
  await page.getByLabel("Owner’s email address").fill("nobody");
  await page.getByRole("button", { name: "Create company" }).click();
  await expect(page.getByText("Email address must be a valid address")).toBeVisible();
  await page.getByLabel("Owner’s email address").fill(`cay-${Date.now()}@adventure.example`);
  await page.getByRole("button", { name: "Create company" }).click();
  await expect(page.getByRole("dialog").getByText("/console/invitation#")).toBeVisible();
  await page.getByRole("button", { name: "I’ve saved it" }).click();
  await expect(page.getByRole("heading", { name })).toBeVisible();
  await expect(page.getByText("Invited", { exact: true })).toBeVisible();

  await page.goto("/console/operate/companies");
  await page.getByRole("searchbox", { name: "Search companies" }).fill(name.toLowerCase());
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page).toHaveURL(/search=/);
});

test("access switches can be undone, and suspending requires the company name", async ({
  page,
  appliance,
}) => {
  await signInAsOperator(page, appliance.url);
  const { northwind } = await companiesInEveryState();
  await page.goto(`/console/operate/companies/${northwind.id}`);
  await page.getByRole("button", { name: "Turn off service" }).click();
  await expect(page.getByText("Service off", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("button", { name: "Turn off service" })).toBeVisible();
  await expect.poll(() => companyNow(northwind.id)).toMatchObject({ serviceEnabled: true });

  await page.getByRole("button", { name: "Mark invoice as overdue" }).click();
  await page.getByLabel("Invoice number").fill("2026-7");
  await page.getByLabel("Payment URL").fill("http://pay.example/");
  await page.getByRole("button", { name: "Mark as overdue" }).click();
  await expect(page.getByText("Payment URL must be an https URL")).toBeVisible();
  await page.getByLabel("Payment URL").fill("https://pay.example/7");
  await page.getByRole("button", { name: "Mark as overdue" }).click();
  await expect(page.getByText("Invoice 2026-7 is overdue")).toBeVisible();

  await page.getByRole("button", { name: "Suspend company" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("something else");
  await dialog.getByRole("button", { name: "Suspend company" }).click();
  await expect(dialog.getByText("Doesn’t match")).toBeVisible();
  await dialog.getByRole("textbox").fill(northwind.name);
  await dialog.getByRole("button", { name: "Suspend company" }).click();
  await expect(page.getByRole("heading", { name: "Company suspended" })).toBeVisible();
  await page.getByRole("button", { name: "Restore company" }).click();
  await expect(page.getByRole("heading", { name: "Suspend this company" })).toBeVisible();
});

test("saving a plan in use first shows the affected companies", async ({ page, appliance }) => {
  await signInAsOperator(page, appliance.url);
  const { northwind, plan } = await companiesInEveryState();
  await page.goto("/console/operate/plans");
  await page.getByRole("button", { name: `Edit ${plan.name}` }).click();
  await page.getByLabel("Domains").fill("0");
  await page.getByRole("button", { name: "Review changes" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("2 companies will get the new limits")).toBeVisible();
  await expect(dialog.getByText(northwind.name)).toBeVisible();
  await dialog.getByRole("button", { name: "Save plan for 2 companies" }).click();
  await expect(dialog).toHaveCount(0);
  expect(await companyNow(northwind.id)).toMatchObject({ domainsMax: 0 });
  await page.getByRole("button", { name: `Delete ${plan.name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete plan" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("2 companies are on");

  await page.goto(`/console/operate/companies/${northwind.id}`);
  await page.getByRole("combobox", { name: "Plan" }).selectOption("Custom limits");
  await page.getByRole("textbox", { name: "Domains" }).fill("7");
  await page.getByRole("button", { name: "Save plan" }).click();
  await expect(dialog.getByText("Domains: 0 to 7.")).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.reload();
  await expect(page.getByText("Restored what you typed before.")).toBeVisible();
  await page.getByRole("button", { name: "Save plan" }).click();
  await dialog.getByRole("button", { name: "Save plan" }).click();
  await expect(page.getByText("Plan saved")).toBeVisible();
  expect(await companyNow(northwind.id)).toMatchObject({ domainsMax: 7, planId: null });
});

test("mail is put on hold with a reason, released, and dropped by name", async ({
  page,
  appliance,
}) => {
  const { companyId } = await signInAsOperator(page, appliance.url);
  await aQueueInEveryState(companyId);
  await page.goto("/console/operate/queue");
  await expect(page.getByText("slow.example uses greylisting")).toBeVisible();
  await page.getByRole("button", { name: "Hold slow.example" }).click();
  await page.getByLabel("Reason").fill("They are down");
  await page.getByRole("dialog").getByRole("button", { name: "Hold mail" }).click();
  await expect(page.getByRole("link", { name: "Mail to slow.example" })).toBeVisible();
  await page.getByRole("button", { name: "Release mail to slow.example" }).click();
  await expect(page.getByText("Mail to slow.example released")).toBeVisible();
  expect(await isHeldNow("slow.example")).toBe(false);

  await page.goto("/console/operate/queue?kind=destination&subject=held.example");
  await page.getByRole("button", { name: "Drop mail" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("held.example");
  await dialog.getByRole("button", { name: "Drop mail" }).click();
  await expect(page.getByRole("heading", { name: "No queued mail" })).toBeVisible();
});

test("the mail log lists incoming and outgoing mail, filtered by company, address and message", async ({
  page,
  appliance,
}) => {
  await signInAsOperator(page, appliance.url);
  const { northwind } = await companiesInEveryState();
  const { ann, recipient } = await aMailLog(northwind.id);
  await page.goto("/console/operate/mail-log");
  await page.getByRole("button", { name: "All companies" }).press("Enter");
  const company = page.getByRole("combobox", { name: "Company" });
  await expect(company).toBeFocused();
  await expect(page.getByRole("option", { name: northwind.name })).toBeVisible();
  await company.fill(northwind.name.toLowerCase());
  await page.getByRole("option", { name: northwind.name }).click();
  await expect(page).toHaveURL(new RegExp(`company=${northwind.id}`));
  await expect(page.getByRole("row")).toHaveCount(3);
  await page.getByRole("button", { name: recipient }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("<1.laptop@")).toBeVisible();
  await expectNoPageFaults(page);

  await dialog.getByRole("link", { name: "View delivery attempts" }).click();
  await expect(page.getByRole("tab", { name: "Delivery attempts" })).toHaveAttribute(
    "aria-selected",
    "true",
  );
  await expect(page.getByRole("row")).toHaveCount(3);
  await page
    .getByRole("row", { name: /orders@.*Delayed/ })
    .getByRole("button")
    .click();
  await expect(dialog.getByText("451 4.7.1 Greylisted, try again later")).toBeVisible();
  await expectNoPageFaults(page);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("searchbox", { name: "Search the mail log" }).fill(ann);
  await expect(page).toHaveURL(/search=ann/);
  await expect(page.getByRole("row")).toHaveCount(3);
  await page.getByRole("link", { name: "Delayed" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.reload();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByLabel("To", { exact: true }).fill("2001-01-01T10:00");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "No matching entries" })).toBeVisible();
  await expect(page).toHaveURL(/to=2001-01-0/);
  await expectNoPageFaults(page);
});

test("settings are searched, show their errors, and are saved together after a preview", async ({
  page,
  appliance,
}) => {
  await signInAsOperator(page, appliance.url);
  await page.goto("/console/operate/settings");
  await page.getByLabel("Search settings").fill("webhook");
  const events = page.getByLabel("Pending test events per webhook", { exact: true });
  await events.fill("0");
  await page.getByLabel("Search settings").fill("tls reports");
  await page.getByRole("switch", { name: "Daily TLS reports" }).setChecked(false, { force: true });
  const bar = page.getByRole("group", { name: "Unsaved changes" });
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(
    page.getByText("Pending test events per webhook must be a whole number from 1 to 1000"),
  ).toBeVisible();
  await expect(events).toBeFocused();
  await events.fill("7");
  await bar.getByRole("button", { name: "Review" }).click();
  const review = page.getByRole("dialog");
  await expect(review.getByText("Pending test events per webhook: 5 → 7")).toBeVisible();
  await expect(review.getByText("that ask for them: On → Off")).toBeVisible();
  await expectNoPageFaults(page);
  await review.getByRole("button", { name: "Save changes" }).click();
  await expect(
    page.getByText("changed “Pending test events per webhook” from 5 to 7"),
  ).toBeVisible();
  await expect(bar).toBeHidden();

  await page.getByLabel("Search settings").fill("");
  for (const name of ["Pending test events per webhook", "Daily TLS reports"])
    await page.getByRole("button", { name: `Reset ${name}` }).click();
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(
    page.getByText("changed “Pending test events per webhook” from 7 to 5"),
  ).toBeVisible();
});

test("a saved URL with a secret is masked, and isn't an unsaved change", async ({
  page,
  appliance,
}) => {
  await signInAsOperator(page, appliance.url);
  await page.goto("/console/operate/settings?search=ntfy");
  const name = "Alarms to an ntfy topic";
  const url = page.getByRole("textbox", { name });
  await page.getByRole("combobox", { name }).selectOption("Custom");
  await url.fill("https://ntfy.example/secret");
  const bar = page.getByRole("group", { name: "Unsaved changes" });
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(url).toHaveValue("https://ntfy.example/…");
  await expect(bar).toBeHidden();
  await page.getByRole("button", { name: `Reset ${name}` }).click();
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(bar).toBeHidden();
});

test("a preset can be replaced by a custom value, and the change is shown before it is saved", async ({
  page,
  appliance,
}) => {
  await signInAsOperator(page, appliance.url);
  await page.goto("/console/operate/settings?search=hour%20summary");
  await page.getByLabel("Send the daily summary at").selectOption("07:00 UTC");
  await expect(page.getByText("Send the daily summary at: 06:00 UTC → 07:00 UTC")).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.goto("/console/operate/settings?search=keep_audit_days");
  const [kind, days] = ["combobox", "textbox"] as const;
  await page.getByRole(kind, { name: "Keep the audit log" }).selectOption("Custom");
  await page.getByRole(days, { name: "Keep the audit log" }).fill("400");
  await expect(page.getByText("Keep the audit log: Forever → 400 days")).toBeVisible();
  await expectNoPageFaults(page);
});

test("erases a person’s data after confirmation", async ({ page, appliance }) => {
  await signInAsOperator(page, appliance.url);
  await page.goto("/console/operate/erasure");
  await page.getByLabel("Email address").fill("ann@erased.example");
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Erase data" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Erase the data of ann@erased.example?")).toBeVisible();
  await dialog.getByRole("button", { name: "Erase data" }).click();
  await expect(page.getByText(/The address now appears as erased-[0-9a-f]+@/)).toBeVisible();
  await expect(page.getByLabel("Email address")).toHaveValue("");
});

test("Health groups what is wrong by what to do about it", async ({ page, appliance }) => {
  await signInAsOperator(page, appliance.url);
  await aRaisedAlarm();
  await page.goto("/console/operate/health");
  const wait = page.getByRole("region", { name: /^Wait/ });
  await expect(wait).toContainText(/slow\.example defers 40 of 50 queued recipients/i);
  await expect(page.getByRole("region", { name: /^Fix now/ })).toContainText(
    "The worker process isn’t running",
  );
  await expectNoPageFaults(page);
  await wait.getByRole("link", { name: "Open queue" }).first().click();
  await expect(page).toHaveURL(/subject=slow\.example/);
});

test("a mailbox is moved to another mail host, which company admins don't see", async ({
  page,
  appliance,
}) => {
  const { companyId } = await signInAsOperator(page, appliance.url);
  const { mailbox, owner, from, to, remove } = await aMailboxOnAMailHost(companyId);
  try {
    await page.goto(`/console/mailboxes/${mailbox}`);
    await expect(page.getByText(`Stored on ${from}.`)).toBeVisible();
    await page.getByRole("button", { name: "Move mailbox" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Move mailbox" }).click();
    await expect(page.getByText(`Moving to ${to}`, { exact: true })).toBeVisible();
    await expectNoPageFaults(page);

    await page.goto("/console/operate/health");
    const move = page.getByText(`${mailbox}: Moving to ${to}`);
    await expect(move).toBeVisible();
    await expect(
      page.getByRole("row", { name: `${from} Running ${from} 1 mailbox` }),
    ).toBeVisible();
    await expectNoPageFaults(page);
    await page.getByRole("button", { name: "Move mailbox" }).click();
    const submit = page.getByRole("dialog").getByRole("button", { name: "Move mailbox" });
    await submit.click();
    await expect(page.getByText("Mailbox is required")).toBeVisible();
    await page.getByRole("textbox", { name: "Mailbox" }).fill("nobody@mail-hosts.example");
    await submit.click();
    await expect(page.getByText("Mailbox nobody@mail-hosts.example not found")).toBeVisible();

    await page.goto(`/console/mailboxes/${mailbox}`);
    await page.getByRole("button", { name: "Cancel move" }).click();
    await expect(page.getByRole("button", { name: "Move mailbox" })).toBeVisible();

    await signInWithCookie(page, appliance.url, owner);
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await page.goto(`/console/mailboxes/${mailbox}`);
    await expect(page.getByRole("heading", { name: "Policies" })).toBeVisible();
    await expect(page.getByText(`Stored on ${from}.`)).toHaveCount(0);
    expect(requested.filter((url) => url.includes("/mailHosts/getMailboxHost"))).toEqual([]);
  } finally {
    await remove();
  }
});

test("the operator pages pass the accessibility checks", async ({ page, appliance }) => {
  const { companyId } = await signInAsOperator(page, appliance.url);
  const { northwind } = await companiesInEveryState();
  await aQueueInEveryState(companyId);
  await aMailLog(northwind.id);
  for (const [path, text] of [
    ["companies", northwind.name],
    [`companies/${northwind.id}`, "Suspend company"],
    ["plans", "Recipients per month"],
    ["mail-log", "Sign-in failed"],
    ["mail-log?tab=outgoing", "Delayed"],
    ["queue", "slow.example"],
    ["queue?kind=destination&subject=held.example", "Drop mail on hold"],
  ] as const) {
    await page.goto(`/console/operate/${path}`);
    await expect(page.getByText(text).filter({ visible: true }).first()).toBeVisible();
    await expectNoPageFaults(page);
  }
});
