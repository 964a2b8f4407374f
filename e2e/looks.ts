import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

type Look = {
  width: number;
  colorScheme: "light" | "dark";
  /** Of axe; all where nothing is said. */
  rules?: string[];
};

const DESK = 1440;
const PHONE = 380;

/** Each width and each theme once: enough for a state of a page that is seen in all looks as a whole. */
const TWO_LOOKS: Look[] = [
  { width: DESK, colorScheme: "light" },
  { width: PHONE, colorScheme: "dark" },
];

/** What a theme changes: its colours, and nothing else. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

export const ALL_LOOKS: Look[] = [DESK, PHONE].flatMap((width) => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark", rules: OF_COLOURS },
]);

/** A chart follows the screen a moment later. */
const FITS_WITHIN_MS = 5_000;

/**
 * What is wrong with the page as it stands: what axe finds, and what is wider than the screen. Afterwards it
 * is on a desk and light again; nothing is loaded anew, what is open stays open.
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

/** Fails when there is somebody who could not read or use the page as it stands. */
export async function expectNoFaults(page: Page, looks?: Look[]) {
  expect(await faultsOf(page, looks), page.url()).toEqual([]);
}

/** What is wider than the screen, which may be `width` instead of what it is. */
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

/** Returns once the page is drawn so. */
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
