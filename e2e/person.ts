import type { Locator, Page } from "@playwright/test";

/** Signs the page in with a session cookie, at the appliance's `url`. */
export async function become(page: Page, url: string, cookie: string) {
  const [name, value] = cookie.split(";")[0]!.split("=");
  await page.context().addCookies([{ name: name!, value: value!, url, httpOnly: true }]);
}

/** Opens the user menu at the bottom of the navigation. */
export async function openOwn(within: Page | Locator) {
  await within.getByTitle("Profile, theme, and sign out").click();
}

export async function signOut(page: Page) {
  await openOwn(page);
  await page.getByRole("button", { name: "Sign out" }).click();
}
