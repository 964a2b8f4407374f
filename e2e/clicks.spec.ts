import { PRIVILEGES, type Person, seedTasks, TASKS } from "./commonest-tasks.ts";
import { expect, test } from "./mail-server.ts";

/** The table of app/README.md: clicks until the task is done, once the list is open. */
const CLICKS_MAX = 3;

test("the commonest tasks take at most three clicks once the list is open", async ({
  page,
  signIn,
}) => {
  // Twelve tasks, each of which would be a test of its own elsewhere.
  test.slow();
  await seedTasks(await signIn({ isOwner: true, privileges: PRIVILEGES }));

  const person: Person = {
    press: (target) => target.click(),
    // A field that isn't focused already costs a click.
    async type(field, text) {
      await expect(field).toBeVisible();
      const isFocused = await field.evaluate((element) => element === document.activeElement);
      if (!isFocused) await field.click();
      await page.keyboard.type(text);
    },
    tab: () => page.keyboard.press("Tab"),
  };
  // Survives navigation, and counts what reaches the page.
  await page.addInitScript(() => {
    addEventListener(
      "pointerdown",
      () => sessionStorage.setItem("clicks", String(Number(sessionStorage.getItem("clicks")) + 1)),
      { capture: true },
    );
  });
  const clicks: Record<string, number> = {};
  for (const [name, { list, ready, act, done }] of Object.entries(TASKS)) {
    await page.goto(list);
    await expect(ready(page)).toBeVisible();
    await page.evaluate(() => sessionStorage.removeItem("clicks"));
    await act(page, person);
    await expect(done(page)).toBeVisible();
    clicks[name] = await page.evaluate(() => Number(sessionStorage.getItem("clicks")));
  }
  for (const [name, count] of Object.entries(clicks))
    expect(count, name).toBeLessThanOrEqual(CLICKS_MAX);
});
