import type { Browser, Page } from "@playwright/test";

/** The URL to open. */
export type Place = {
  url: string;
  path: string;
  /** CSS selector of the page's main content: rows, figures. */
  shows: string;
  /** A page with a link to it, for the warm measurement. */
  linkedFrom?: string;
  cookie?: string;
  loads: number;
};

/** Milliseconds until the page shows its main content and its main thread is idle; kilobytes transferred. */
export type Visit = {
  "cold p50": number;
  "cold p95": number;
  "warm p50"?: number;
  "warm p95"?: number;
  "JS kB"?: number;
  requests?: number;
};

/** The page counts as idle after a window without a task over 50 ms, as in "time to interactive". */
const QUIET_MS = 100;
const GIVEN_MS = 30_000;

/** Each load uses a browser with empty caches. */
export async function measureCold(browser: Browser, place: Place): Promise<Visit> {
  const times: number[] = [];
  let [scripts, requests] = [0, 0];
  for (let i = 0; i < place.loads; i++) {
    const { page, close } = await openPage(browser, place);
    const sent = countBytes(page);
    await page.goto(place.url + place.path, { waitUntil: "commit" });
    times.push(await whenShown(page, place.shows));
    [scripts, requests] = await sent();
    await close();
  }
  const { p50, p95 } = percentiles(times);
  return { "cold p50": p50, "cold p95": p95, "JS kB": Math.round(scripts / 1000), requests };
}

/**
 * Follows a link on another console page that was just loaded. After the first run, which doesn't count,
 * scripts are in the browser's cache; data is not.
 */
export async function measureWarm(
  browser: Browser,
  place: Place,
): Promise<Pick<Visit, "warm p50" | "warm p95">> {
  const { page, close } = await openPage(browser, place);
  const times: number[] = [];
  for (let i = 0; i <= place.loads; i++) {
    await page.goto(place.url + (place.linkedFrom ?? "/console/help"));
    const link = page.locator(`a[href="${place.path}"]`).first();
    await link.waitFor();
    await page.waitForLoadState("networkidle");
    await page.evaluate(() =>
      addEventListener("click", () => performance.mark("left"), { capture: true }),
    );
    await link.click();
    const took = await whenShown(page, place.shows);
    if (i > 0) times.push(took);
  }
  await close();
  const { p50, p95 } = percentiles(times);
  return { "warm p50": p50, "warm p95": p95 };
}

async function openPage(browser: Browser, { url, cookie }: Place) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const [name, value] = cookie?.split("=") ?? [];
  if (name && value) await context.addCookies([{ name, value, url, httpOnly: true }]);
  return { page: await context.newPage(), close: () => context.close() };
}

/**
 * Observed within the page, because Playwright polls only every half second.
 *
 * @returns milliseconds from the start of the navigation, or from the mark "left"
 */
function whenShown(page: Page, shows: string): Promise<number> {
  return page.evaluate(
    async ({ selector, quietMs, givenMs }) => {
      const isShown = () => document.querySelector(selector)?.checkVisibility() ?? false;
      let restsSince = 0;
      const tasks = new PerformanceObserver((list) => {
        for (const { startTime, duration } of list.getEntries())
          restsSince = Math.max(restsSince, startTime + duration);
      });
      tasks.observe({ type: "longtask", buffered: false });
      await new Promise<void>((resolve, reject) => {
        setTimeout(() => reject(new Error(`${selector} did not come`)), givenMs);
        const look = () => {
          if (!isShown()) return;
          changes.disconnect();
          resolve();
        };
        const changes = new MutationObserver(look);
        changes.observe(document, { childList: true, subtree: true, attributes: true });
        look();
      });
      restsSince = Math.max(restsSince, performance.now());
      while (performance.now() - restsSince < quietMs)
        await new Promise((resolve) => setTimeout(resolve, 10));
      tasks.disconnect();
      return restsSince - (performance.getEntriesByName("left")[0]?.startTime ?? 0);
    },
    { selector: shows, quietMs: QUIET_MS, givenMs: GIVEN_MS },
  );
}

/** @returns bytes of scripts transferred, and the number of requests */
function countBytes(page: Page): () => Promise<[scripts: number, requests: number]> {
  const asked: Promise<number>[] = [];
  let requests = 0;
  page.on("requestfinished", (request) => {
    requests++;
    if (request.resourceType() === "script")
      asked.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  return async () => [(await Promise.all(asked)).reduce((sum, size) => sum + size, 0), requests];
}

export function percentiles(times: number[]): { p50: number; p95: number } {
  const ordered = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(ordered[Math.ceil(share * ordered.length) - 1]!);
  return { p50: at(0.5), p95: at(0.95) };
}
