import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

type Look = {
  width: number;
  colorScheme: "light" | "dark";
  /** Axe rules to check; all if omitted. */
  rules?: string[];
};

const DESK = 1440;
const PHONE = 380;

/** Covers each width and theme once. `every-page.spec.ts` checks all combinations. */
const TWO_LOOKS: Look[] = [
  { width: DESK, colorScheme: "light" },
  { width: PHONE, colorScheme: "dark" },
];

/** A theme changes only colors, so the second one is checked with these rules only. */
const OF_COLORS = ["color-contrast", "link-in-text-block"];

export const ALL_LOOKS: Look[] = [DESK, PHONE].flatMap((width) => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark", rules: OF_COLORS },
]);

/** Charts resize with a delay. */
const FITS_WITHIN_MS = 5_000;

/**
 * Returns axe violations and elements wider than the screen. Doesn't reload the page, so open dialogs stay open,
 * and restores the light theme on a desktop.
 */
export async function faultsOf(page: Page, looks = TWO_LOOKS): Promise<unknown[]> {
  await expect(page.locator(".mantine-Skeleton-root")).toHaveCount(0);
  const faults: unknown[] = [];
  for (const look of looks) {
    await give(page, look);
    const axe = new AxeBuilder({ page }).exclude("iframe").setLegacyMode();
    if (look.rules) axe.withRules(look.rules);
    for (const { id, nodes } of (await axe.analyze()).violations)
      faults.push([look, id, nodes.slice(0, 3).map(({ html }) => html)]);
    faults.push(...(await overflowOf(page)));
  }
  await give(page, TWO_LOOKS[0]!);
  return faults;
}

/** Fails if the page in its current state has accessibility or layout faults. */
export async function expectNoFaults(page: Page, looks?: Look[]) {
  expect(await faultsOf(page, looks), page.url()).toEqual([]);
}

/** Returns the elements wider than the screen, or than `width`. */
export async function overflowOf(page: Page, width?: number): Promise<string[]> {
  const { width: now, height } = page.viewportSize()!;
  if (width !== undefined) await page.setViewportSize({ width, height });
  const fits = await page
    .waitForFunction((wide) => document.documentElement.scrollWidth <= wide, width ?? now, {
      timeout: FITS_WITHIN_MS,
    })
    .then(() => true)
    .catch(() => false);
  if (fits) return [];
  const found = await page.evaluate(() => document.documentElement.scrollWidth);
  return [`is ${found} px wide on ${width ?? now}`];
}

/** Applies a look and waits until it is rendered. */
async function give(page: Page, { width, colorScheme }: Look) {
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
}
