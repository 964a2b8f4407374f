import type { Locator, Page } from "@playwright/test";

/** Signs the page in with a session cookie, at the appliance's `url`. */
export async function signInWithCookie(page: Page, url: string, cookie: string) {
  const [name, value] = cookie.split(";")[0]!.split("=");
  const path = /; Path=([^;]+)/.exec(cookie)?.[1] ?? "/";
  const domain = new URL(url).hostname;
  await page.context().addCookies([{ name: name!, value: value!, domain, path, httpOnly: true }]);
}

/** Opens the user menu at the foot of the navigation. */
export async function openUserMenu(within: Page | Locator) {
  await within.getByTitle("Profile, theme, and sign out").click();
}

export async function signOut(page: Page) {
  await openUserMenu(page);
  await page.getByRole("button", { name: "Sign out" }).click();
}
