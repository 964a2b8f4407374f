import type { Page } from "@playwright/test";

import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { setShare } from "#server/core/mailboxes/shares/shares.ts";
import { updateMailbox } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { pool } from "#server/db/pool.ts";
import { totpCode } from "#server/testing/a-second-factor.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aMailbox, anAlias } from "#server/testing/factories.ts";

import { aMailboxUser, PASSWORD, verifyIdentity } from "./seed-account.ts";
import { signInWithCookie } from "./session.ts";
import { expect, test } from "./webmail-server.ts";

const OWNER = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

type User = Awaited<ReturnType<typeof aMailboxUser>>;

const messageOf = (subject: string, html: string, to = "ann@example.net") =>
  [
    "From: Ben Cole <ben@example.net>",
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: <${crypto.randomUUID()}@example.net>`,
    "MIME-Version: 1.0",
    "Content-Type: text/html; charset=utf-8",
    "",
    html,
  ].join("\r\n");

/** The frame with the open message. */
const preview = (page: Page) => page.frameLocator("#messagecontframe");

async function openWebmail(page: Page, url: string, { cookie }: User) {
  await signInWithCookie(page, url, cookie);
  await page.goto(`${url}/webmail/`);
  await expect(page.getByRole("button", { name: "Refresh" })).toBeVisible();
}

test("signs in with the second factor of /account, reads and searches", async ({
  page,
  appliance,
  dovecot,
}) => {
  const { address } = await aMailboxUser();
  for (const subject of ["Quarterly numbers", "Lunch"])
    await deliver(dovecot.lmtpSocket, address, messageOf(subject, `<p>About ${subject}</p>`));
  const signIn = async () => {
    await page.getByLabel("Email address").fill(address);
    await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await page.keyboard.press("Enter");
  };
  await page.goto(`${appliance.url}/account/two-factor`);
  await signIn();
  await page.getByRole("button", { name: "Set up app" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const link = await dialog.getByRole("link", { name: "Open the app" }).getAttribute("href");
  const secret = new URL(link!).searchParams.get("secret")!;
  await dialog.getByRole("textbox", { name: "Code" }).fill(totpCode(secret));
  await dialog.getByRole("button", { name: "Verify code" }).click();
  await expect(dialog.getByRole("list", { name: "Recovery codes" })).toBeVisible();
  await page.context().clearCookies();

  await page.goto(`${appliance.url}/webmail/?_task=mail&_mbox=INBOX`);
  await expect(page).toHaveURL(/\/account\/sign-in\?next=/);
  await signIn();
  await page.getByLabel("Code").fill(totpCode(secret, { steps: 1 }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/webmail\/\?/);
  await expect(page).toHaveTitle(/Northwind Trading.*Inbox/);
  await page.getByRole("link", { name: "Quarterly numbers" }).click();
  await expect(preview(page).getByText("About Quarterly numbers")).toBeVisible();

  const rows = page.locator("#messagelist tbody tr");
  await expect(rows).toHaveCount(2);
  await page.locator("#mailsearchform").fill("lunch");
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("Lunch");
});

test("writes HTML with an attachment, and replies as an alias", async ({
  page,
  appliance,
  dovecot,
}) => {
  const user = await aMailboxUser();
  const alias = await anAlias(user.domain, user.address, `sales@${user.domain.name}`);
  await deliver(dovecot.lmtpSocket, user.address, messageOf("Offer", "<p>Hello</p>", alias));
  await openWebmail(page, appliance.url, user);
  await page.getByRole("link", { name: "Offer" }).click();
  await expect(preview(page).getByText("Hello")).toBeVisible();
  await page.getByRole("button", { name: /Reply$/ }).click();
  await expect(page.getByLabel("From")).toContainText(alias);
  await expect(page.locator("#_from option:checked")).toContainText(alias);
  const body = page.frameLocator("iframe.tox-edit-area__iframe").locator("body");
  await body.pressSequentially("See the ");
  await page.keyboard.press("Control+b");
  await body.pressSequentially("file");
  await page
    .locator("#compose-attachments input[type=file], input[name='_attachments[]']")
    .first()
    .setInputFiles({ name: "offer.txt", mimeType: "text/plain", buffer: Buffer.from("1,200 EUR") });
  // Its size appears once it is uploaded.
  await expect(page.getByText("(9 B)").first()).toBeVisible();
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page).toHaveURL(/_mbox=INBOX|_task=mail(?!.*compose)/);
  await page.goto(`${appliance.url}/webmail/?_task=mail&_mbox=Sent`);
  await page.getByRole("link", { name: "Re: Offer" }).click();
  await expect(preview(page).locator("strong", { hasText: "file" })).toBeVisible();
  await expect(preview(page).getByText("offer.txt").first()).toBeVisible();
  await expect(preview(page).getByTitle(alias).first()).toBeAttached();
});

test("shows shared mailboxes and the company's contacts, and rules at /account", async ({
  page,
  appliance,
  dovecot,
}) => {
  const user = await aMailboxUser();
  const { address: team } = await aMailbox(user.domain, {
    address: `team@${user.domain.name}`,
    name: "Team Northwind",
  });
  await deliver(dovecot.lmtpSocket, team, messageOf("For the team", "<p>All of you</p>"));
  const access = { member: user.address, access: "read", sendAs: false } as const;
  await setShare(user.ctx, OWNER, team, access);
  await openWebmail(page, appliance.url, user);
  await page.goto(
    `${appliance.url}/webmail/?_task=mail&_mbox=${encodeURIComponent(`Shared mailboxes/${team}`)}`,
  );
  await expect(page.getByRole("treeitem", { name: team })).toBeVisible();
  await page.getByRole("link", { name: "For the team" }).click();
  await expect(preview(page).getByText("All of you")).toBeVisible();

  await page
    .getByRole("link", { name: "Contacts" })
    .or(page.getByRole("button", { name: "Contacts" }))
    .click();
  await page.getByText("Team Northwind").click();
  await expect(page.frameLocator("#contact-frame").getByText(team).first()).toBeVisible();

  await page.goto(`${appliance.url}/webmail/?_task=settings`);
  await page.getByRole("button", { name: "Filters" }).click();
  await expect(page).toHaveURL(/\/account\/filters$/);
  await page.goBack();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL(/\/account\/overview$/);
});

test("an app password can be limited to calendars and contacts", async ({ page, appliance }) => {
  const user = await aMailboxUser();
  await signInWithCookie(page, appliance.url, user.cookie);
  await page.goto(`${appliance.url}/account/app-passwords`);
  await page.getByRole("button", { name: "Create app password" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Calendar app");
  await dialog.getByLabel("Use for").selectOption("Calendars and contacts only");
  await dialog.getByRole("button", { name: "Create app password" }).click();
  await verifyIdentity(page, "Create app password");
  await page.getByRole("button", { name: "I’ve saved it" }).click();
  await expect(page.getByText("Calendars and contacts only. Never used")).toBeVisible();
});

test("ends with the session of /account, and for a suspended user", async ({ page, appliance }) => {
  for (const end of ["everywhere", "suspended"]) {
    const user = await aMailboxUser();
    await openWebmail(page, appliance.url, user);
    if (end === "suspended") await updateMailbox(user.ctx, OWNER, user.address, { active: false });
    else {
      const other = await page.context().browser()!.newContext();
      const elsewhere = await other.newPage();
      await elsewhere.goto(`${appliance.url}/account/sessions`);
      await elsewhere.getByLabel("Email address").fill(user.address);
      await elsewhere.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await elsewhere.keyboard.press("Enter");
      for (const within of [elsewhere, elsewhere.getByRole("dialog")])
        await within.getByRole("button", { name: "End other sessions" }).click();
      await expect(elsewhere.getByRole("dialog")).toBeHidden();
      await other.close();
    }
    const refresh = "/webmail/?_task=mail&_action=refresh&_remote=1";
    expect(await page.evaluate(async (url) => (await fetch(url)).status, refresh)).toBe(401);
    await page.goto(`${appliance.url}/webmail/`);
    await expect(page).toHaveURL(/\/account\/sign-in/);
    await page.context().clearCookies();
  }
});

test("stays open when the session gets a new password", async ({ page, appliance, dovecot }) => {
  const user = await aMailboxUser();
  await deliver(dovecot.lmtpSocket, user.address, messageOf("Later", "<p>Still here</p>"));
  await openWebmail(page, appliance.url, user);
  await pool()
    .sql`update mailbox_sessions set webmail_until = now() where user_id = ${user.address}`;
  await page.reload();
  await page.getByRole("link", { name: "Later" }).click();
  await expect(preview(page).getByText("Still here")).toBeVisible();

  await page.goto(`${appliance.url}/webmail/?_task=settings&_action=add-identity`);
  await expect(page.locator("input[name=_email]")).toHaveValue(user.address);
});

/** What a hostile message could contain. Each would set `hacked`, or load something from another server. */
const HOSTILE = [
  `<script>top.hacked = 1</script>`,
  `<img src=x onerror="top.hacked = 1">`,
  `<svg onload="top.hacked = 1"></svg>`,
  `<svg><script>top.hacked = 1</script></svg>`,
  `<body onload="top.hacked = 1">`,
  `<iframe srcdoc="<script>top.hacked = 1</script>"></iframe>`,
  `<iframe src="http://remote.example/frame"></iframe>`,
  `<object data="http://remote.example/object"></object>`,
  `<embed src="http://remote.example/embed">`,
  `<meta http-equiv="refresh" content="0;url=http://remote.example/refresh">`,
  `<base href="http://remote.example/"><img src="relative.png">`,
  `<link rel="stylesheet" href="http://remote.example/style.css">`,
  `<style>@import "http://remote.example/import.css"; p { background: url(http://remote.example/a) }</style>`,
  `<p style="background: url('http://remote.example/background')">Text</p>`,
  `<img srcset="http://remote.example/set 1x" src="http://remote.example/pixel.gif">`,
  `<video src="http://remote.example/video" poster="http://remote.example/poster" autoplay></video>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="top.hacked = 1"></style></mglyph></table></mtext></math>`,
  `<form action="http://remote.example/form"><input autofocus onfocus="top.hacked = 1"></form>`,
  `<details open ontoggle="top.hacked = 1"><summary>More</summary></details>`,
  `<noscript><p title="</noscript><img src=x onerror=top.hacked=1>"></noscript>`,
];

test("hostile messages run no scripts and load nothing", async ({ page, appliance, dovecot }) => {
  const user = await aMailboxUser();
  for (const [index, html] of HOSTILE.entries())
    await deliver(
      dovecot.lmtpSocket,
      user.address,
      messageOf(`Message ${index + 1}`, `${html}<p>End of ${index + 1}</p>`),
    );
  const requested: string[] = [];
  await page.route(/remote\.example/, (route) => {
    requested.push(route.request().url());
    return route.abort();
  });
  await openWebmail(page, appliance.url, user);
  for (const [index] of HOSTILE.entries()) {
    await page.goto(
      `${appliance.url}/webmail/?_task=mail&_mbox=INBOX&_uid=${index + 1}&_action=show`,
    );
    await expect(page.getByText(`Message ${index + 1}`).first()).toBeVisible();
    await expect(page.getByText(`End of ${index + 1}`)).toBeVisible();
    expect(await page.evaluate("window.hacked"), HOSTILE[index]).toBeUndefined();
  }
  expect(requested).toEqual([]);
});
