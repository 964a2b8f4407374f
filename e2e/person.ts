import type { Locator, Page } from "@playwright/test";

/** Opens what is the person's own, at the foot of the navigation. */
export async function openOwn(within: Page | Locator) {
  await within.getByTitle("What is yours, theme, and signing out").click();
}

export async function signOut(page: Page) {
  await openOwn(page);
  await page.getByRole("button", { name: "Sign out" }).click();
}
