import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aTeam } from "#server/testing/a-team.ts";
import { aTotp } from "#server/testing/a-second-factor.ts";
import { anAdmin } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";

// Focus after the focused element was removed or replaced.

test("closing a dialog restores the focus, even if its row was removed", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const { at } = await aTeam(companyId);
  await page.goto("/console/team");
  const invite = page.getByRole("button", { name: "Invite admin" });
  await invite.press("Enter");
  await expect(page.getByRole("textbox", { name: "Email address" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(invite).toBeFocused();

  const again = page.getByRole("button", { name: `Resend invitation to ${at("nia")}` });
  await again.press("Enter");
  await page.getByRole("button", { name: "I’ve saved it" }).press("Enter");
  await expect(again).toBeFocused();

  const withdraw = page.getByRole("button", { name: `Withdraw invitation to ${at("nia")}` });
  await withdraw.press("Enter");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Withdraw invitation" })
    .press("Enter");
  await expect(page.getByRole("region", { name: "Pending invitations" })).toHaveCount(0);
  await expect(page.locator("#content :focus")).toHaveCount(1);
});

test("the element that replaces a pressed button gets the focus", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const { ben } = await aTeam(companyId);
  await page.goto(`/console/team/${ben.id}`);
  await page.getByRole("button", { name: "Edit name" }).press("Enter");
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.type(" Junior");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Edit name" })).toBeFocused();

  await page.getByRole("button", { name: "Remove Domains" }).press("Enter");
  await expect(page.getByRole("button", { name: "Remove View audit" })).toBeFocused();

  await page.getByRole("button", { name: "Turn off access" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Turn off access" }).press("Enter");
  await expect(page.getByRole("button", { name: "Turn on access" })).toBeFocused();
});

test("after a row is removed, the next row gets the focus", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const names = ["Ben", "Carla"];
  for (const name of names) {
    const { id } = await anAdmin(companyId, { name, privileges: ["domains"] });
    await startSession(db(), id);
  }
  await page.goto("/console/settings?tab=sessions");
  const ends = page.getByRole("button", { name: /^End session of ./ });
  await expect(ends).toHaveCount(2);
  const next = await ends.nth(1).getAttribute("aria-label");
  await ends.first().press("Enter");
  await expect(ends).toHaveCount(1);
  await expect(page.getByRole("button", { name: next! })).toBeFocused();
});

test("second factor dialogs return the focus to the button that opened them", async ({
  page,
  signIn,
}) => {
  const { email } = await signIn();
  await aTotp(email);
  await page.goto("/console/profile?tab=security");
  for (const name of ["Remove", "Add passkey", "Generate new codes"]) {
    const button = page.getByRole("button", { name, exact: true });
    await button.press("Enter");
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(button).toBeFocused();
  }
});

test("the user menu opens and closes with the keyboard", async ({ page, signIn }) => {
  await signIn({ isOwner: true });
  await page.goto("/console/team");
  const menu = page.getByTitle("Profile, theme, and sign out");
  await menu.press("Enter");
  await expect(menu).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("Escape");
  await expect(menu).toHaveAttribute("aria-expanded", "false");
  await expect(menu).toBeFocused();

  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Keyboard shortcuts" }).press("Enter");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(menu).toBeFocused();

  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Your profile" }).press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Your profile" })).toBeFocused();
  await expect(menu).toHaveAttribute("aria-expanded", "false");
});
