import { eq } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";

import { emails } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain } from "#server/testing/factories.ts";
import { type PlacedEmail, placedEmails } from "#server/testing/placed-emails.ts";

import { getMetrics } from "./metrics.ts";
import { COUNT_METRICS, type CountMetric } from "./metric-names.ts";

const START = Date.UTC(2025, 8, 15);
const END = Date.UTC(2026, 8, 1);

const placedEmail = fc.record({
  sentAt: fc.date({ min: new Date(START), max: new Date(END), noInvalidDate: true }),
  types: fc.uniqueArray(fc.constantFrom(...COUNT_METRICS), { minLength: 1 }),
});

/** The local date in the zone. */
const dayOf = (zone: string, instant: Date) =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(instant);

test("agrees with emails counted one by one, by day and domain, in any time zone", async () => {
  const zone = fc.constantFrom(
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
  );
  const { id: companyId } = await aCompany();
  const ours = [await aDomain(companyId), await aDomain(companyId)];
  await fc.assert(
    fc.asyncProperty(
      zone,
      fc.array(placedEmail, { minLength: 1, maxLength: 40 }),
      fc.array(placedEmail, { maxLength: 40 }),
      async (zone, first, second) => {
        await db().delete(emails).where(eq(emails.companyId, companyId));
        const expected = new Map<string, number>();
        for (const [i, made] of [first, second].entries()) {
          const domain = ours[i]!;
          if (made.length > 0) await placedEmails(domain, made.map(asPlaced));
          for (const { sentAt, types } of made)
            for (const type of types) {
              const key = `${dayOf(zone, sentAt)} ${domain.name} ${type}`;
              expected.set(key, (expected.get(key) ?? 0) + 1);
            }
        }

        const { entries, totals } = await getMetrics(aContext(companyId), {
          start: { kind: "instant", instant: START },
          end: { kind: "instant", instant: END },
          zone,
          granularity: "daily",
          metrics: [...COUNT_METRICS],
          dimensions: ["period", "domain"],
          domainIds: [],
        });

        const shown = entries.flatMap(({ period, domain, values }) =>
          COUNT_METRICS.filter((metric) => values[metric]! > 0).map(
            (metric) =>
              [`${period!} ${domain!.name} ${metric}`, values[metric]!] as [string, number],
          ),
        );
        expect(new Map(shown)).toEqual(expected);
        for (const metric of COUNT_METRICS) expect(totals[metric]).toBe(sumOf(expected, metric));
      },
    ),
    { numRuns: 30 },
  );
});

const asPlaced = ({ sentAt, types }: { sentAt: Date; types: CountMetric[] }): PlacedEmail => ({
  sentAt: sentAt.toISOString(),
  types,
});

const sumOf = (counts: Map<string, number>, metric: CountMetric) =>
  [...counts].reduce((sum, [key, count]) => sum + (key.endsWith(` ${metric}`) ? count : 0), 0);
