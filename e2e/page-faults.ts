import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, type Page } from "@playwright/test";
import type axe from "axe-core";

/** Half as large as `axe.source`. Each page compiles it again. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

type Appearance = {
  width: number;
  colorScheme: "light" | "dark";
  /** Axe rules to check; all if omitted. */
  rules?: string[];
};

const DESKTOP = 1440;
const PHONE = 380;

/** Covers each width and theme once. `every-page.spec.ts` checks all combinations. */
const DEFAULT_APPEARANCES: Appearance[] = [
  { width: DESKTOP, colorScheme: "light" },
  { width: PHONE, colorScheme: "dark" },
];

/** A theme changes only colors, so the second one is checked with these rules only. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

export const ALL_APPEARANCES: Appearance[] = [DESKTOP, PHONE].flatMap((width) => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark", rules: COLOR_RULES },
]);

/** Charts resize with a delay. */
const RESIZE_TIMEOUT_MS = 20_000;

/**
 * Returns axe violations and elements wider than the screen. Doesn't reload the page, so open dialogs stay open,
 * and restores the light theme on a desktop.
 */
export async function findPageFaults(
  page: Page,
  appearances = DEFAULT_APPEARANCES,
): Promise<unknown[]> {
  await expect(page.locator(".mantine-Skeleton-root, [data-skeleton]")).toHaveCount(0);
  const faults: unknown[] = [];
  for (const appearance of appearances) {
    await applyAppearance(page, appearance);
    for (const violation of await findViolations(page, appearance.rules))
      faults.push([appearance, ...violation]);
    faults.push(...(await findOverflow(page)));
  }
  await applyAppearance(page, DEFAULT_APPEARANCES[0]!);
  return faults;
}

/**
 * Runs axe outside of frames. Not with `@axe-core/playwright`, which sends axe's half a megabyte to the page several
 * times a run and fetches what passed too.
 */
async function findViolations(page: Page, rules?: string[]): Promise<[string, string[]][]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (only) => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    const { violations } = await loaded.run(
      { exclude: ["iframe"] },
      { resultTypes: ["violations"], ...(only && { runOnly: { type: "rule", values: only } }) },
    );
    return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]);
  }, rules);
}

/** Fails if the page in its current state has accessibility or layout faults. */
export async function expectNoPageFaults(page: Page, appearances?: Appearance[]) {
  expect(await findPageFaults(page, appearances), page.url()).toEqual([]);
}

/** Returns the elements wider than the screen, or than `width`. */
export async function findOverflow(page: Page, width?: number): Promise<string[]> {
  const { width: now, height } = page.viewportSize()!;
  if (width !== undefined) await page.setViewportSize({ width, height });
  const fits = await page
    .waitForFunction((wide) => document.documentElement.scrollWidth <= wide, width ?? now, {
      timeout: RESIZE_TIMEOUT_MS,
    })
    .then(() => true)
    .catch(() => false);
  if (fits) return [];
  const found = await page.evaluate(() => document.documentElement.scrollWidth);
  return [`is ${found} px wide on ${width ?? now}`];
}

/** Applies an appearance and waits until it is rendered. */
async function applyAppearance(page: Page, { width, colorScheme }: Appearance) {
  const { height } = page.viewportSize()!;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(
    (scheme) => (document.documentElement.dataset.mantineColorScheme ?? scheme) === scheme,
    colorScheme,
  );
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  // In the middle of a transition, texts have colors of both themes.
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => !(animation instanceof CSSTransition)),
  );
}
