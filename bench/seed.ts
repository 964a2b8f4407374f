import { parseArgs } from "node:util";

import { config } from "#server/config.ts";
import { withDatabase } from "#server/cli/with-database.ts";

import { requireDiskSpace, seedEmails } from "./seed-emails.ts";

// Fills the appliance's database (POSTHOUSE_DATA or DATABASE_URL) with a year of emails.
const { values: options } = parseArgs({
  options: { emails: { type: "string", default: "1000000" } },
});

await withDatabase(
  async (db) => {
    const count = Number(options.emails);
    await requireDiskSpace(config().dataFolder, count);
    const startedAt = performance.now();
    const tenants = await seedEmails(db, count, (done) =>
      console.error(`${done} of ${count} emails, ${seconds(startedAt)} s`),
    );
    console.table({
      large: { key: tenants.large.token },
      largest: { key: tenants.largest.token },
      "one of 200 small": { key: tenants.small[0]!.token },
    });
  },
  { mayCreate: true },
);

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
