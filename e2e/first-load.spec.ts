// The list of mailboxes asks the mail server.
import { expect, test } from "./mail-server.ts";

/** Of scripts, as they come over the wire. */
const BYTES_MAX = 250_000;

const LISTS = ["emails", "metrics", "mailboxes", "domains", "webhooks", "logs", "suppressions"];

for (const place of ["overview", ...LISTS, "audit"])
  test(`who opens ${place} first loads little`, async ({ page, signIn }) => {
    await signIn({ isOwner: true });
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", (request) => {
      if (request.resourceType() === "script")
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(`/console/${place}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByText("Sign out")).toBeVisible();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(BYTES_MAX);
  });
