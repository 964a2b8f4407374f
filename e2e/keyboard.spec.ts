import type { Locator, Page } from "@playwright/test";

import { PRIVILEGES, type Person, seedTasks, TASKS } from "./commonest-tasks.ts";
import { expect, test } from "./mail-server.ts";

/** More than the tab stops of any page after its navigation. */
const TAB_STOPS_MAX = 60;

const isFocused = (target: Locator) =>
  target.evaluate((element) => element === document.activeElement);

/** Presses a key until the target has the focus. */
async function reach(page: Page, target: Locator, key: string) {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < TAB_STOPS_MAX; presses++) {
    if (await isFocused(target)) return;
    await page.keyboard.press(key);
  }
  await expect(target, `${TAB_STOPS_MAX} times ${key}`).toBeFocused({ timeout: 1 });
}

/** Works with the keyboard alone, and reads on the page what has the focus. */
const keyboardPerson = (page: Page): Person => ({
  async press(target) {
    await expect(target).toBeVisible();
    const [role, type] = await target.evaluate((element) => [
      element.getAttribute("role"),
      element.getAttribute("type"),
    ]);
    await reach(page, target, role === "menuitem" ? "ArrowDown" : "Tab");
    await page.keyboard.press(type === "checkbox" ? "Space" : "Enter");
  },
  async type(field, text) {
    await expect(field).toBeVisible();
    const isSearch = (await field.getAttribute("type")) === "search";
    if (isSearch) await page.keyboard.press("/");
    await reach(page, field, "Tab");
    await page.keyboard.type(text);
  },
  tab: () => page.keyboard.press("Tab"),
});

test("the commonest tasks can be done with the keyboard alone", async ({ page, signIn }) => {
  test.slow();
  await seedTasks(await signIn({ isOwner: true, privileges: PRIVILEGES }));
  await page.addInitScript(() =>
    addEventListener("pointerdown", () => sessionStorage.setItem("pointer", "used"), {
      capture: true,
    }),
  );
  const person = keyboardPerson(page);
  for (const [name, { list, ready, act, done }] of Object.entries(TASKS))
    await test.step(name, async () => {
      await page.goto(list);
      await expect(ready(page)).toBeVisible();
      await person.press(page.getByRole("link", { name: "Skip to content" }));
      await act(page, person);
      await expect(done(page)).toBeVisible();
    });
  expect(await page.evaluate(() => sessionStorage.getItem("pointer"))).toBeNull();
});
