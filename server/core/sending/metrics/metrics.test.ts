import { expect, test } from "vitest";

import type { CountedEventType } from "#server/core/sending/events/email-events.ts";
import { aCompany, aContext, aDomain } from "#server/testing/factories.ts";
import { placedEmails } from "#server/testing/placed-emails.ts";

import { type ChartRequest, getMetricsChart } from "./metrics.ts";
import { parseMoment } from "./periods.ts";

const MARCH: ChartRequest = {
  start: parseMoment("2026-03-01"),
  end: parseMoment("2026-03-31"),
  zone: "Europe/Berlin",
  granularity: "daily",
  domainIds: [],
};

const at = (sentAt: string, ...types: CountedEventType[]) => ({ sentAt, types });

async function aSender() {
  const { id: companyId } = await aCompany();
  return { ctx: aContext(companyId), domain: await aDomain(companyId) };
}

test("returns every day with its counts, next to those of the previous month", async () => {
  const { ctx, domain } = await aSender();
  await placedEmails(domain, [
    at("2026-03-03T10:00:00Z", "sent", "delivered"),
    at("2026-03-03T11:00:00Z", "sent", "bounced"),
    at("2026-02-27T10:00:00Z", "sent"),
    at("2026-02-27T11:00:00Z", "sent", "delivered", "opened"),
    at("2026-01-20T11:00:00Z", "sent"),
  ]);

  const { periods, totals, previous } = await getMetricsChart(ctx, MARCH);

  expect(periods.map(({ label }) => label).slice(0, 3)).toEqual([
    "2026-03-01",
    "2026-03-02",
    "2026-03-03",
  ]);
  expect(periods).toHaveLength(31);
  expect(periods[2]!.counts).toMatchObject({ sent: 2, outcomes: { done: 1, failed: 1 } });
  expect(periods[3]!.counts).toMatchObject({ sent: 0, outcomes: { done: 0, failed: 0 } });
  expect(periods[2]!.start).toBe(Date.parse("2026-03-02T23:00:00Z"));
  expect(totals).toMatchObject({ sent: 2, delivered: 1, bounced: 1 });
  expect(previous.totals).toMatchObject({ sent: 2, opened: 1, outcomes: { done: 1, waiting: 1 } });
  expect(previous.end - previous.start).toBe(periods.at(-1)!.end - periods[0]!.start);
});

test.each<[CountedEventType[], string]>([
  [["sent"], "waiting"],
  [["scheduled"], "waiting"],
  [["sent", "delivery_delayed"], "waiting"],
  [["sent", "suppressed"], "waiting"],
  [["sent", "delivered"], "done"],
  [["sent", "delivery_delayed", "delivered", "opened"], "done"],
  [["sent", "complained"], "done"],
  [["sent", "delivered", "bounced"], "failed"],
  [["failed"], "failed"],
  [["scheduled", "canceled"], "not_sent"],
  [["suppressed"], "not_sent"],
])("counts an email with %j as %s only", async (types, outcome) => {
  const { ctx, domain } = await aSender();
  await placedEmails(domain, [at("2026-03-03T10:00:00Z", ...types)]);
  const none = { done: 0, waiting: 0, failed: 0, not_sent: 0 };
  expect((await getMetricsChart(ctx, MARCH)).totals.outcomes).toEqual({ ...none, [outcome]: 1 });
});

test("sorts domains by emails sent, combines deleted ones, and filters by domain", async () => {
  const { ctx, domain: quiet } = await aSender();
  const busy = await aDomain(ctx.companyId);
  const sent = at("2026-03-03T10:00:00Z", "sent");
  await placedEmails(quiet, [sent]);
  await placedEmails(busy, [sent, sent, sent]);
  await placedEmails({ ...quiet, id: null }, [sent, sent]);

  const { domains } = await getMetricsChart(ctx, MARCH);
  expect(domains.map(({ domain, counts }) => [domain?.name ?? null, counts.sent])).toEqual([
    [busy.name, 3],
    [null, 2],
    [quiet.name, 1],
  ]);
  const one = await getMetricsChart(ctx, { ...MARCH, domainIds: [quiet.id] });
  expect(one.totals.sent).toBe(1);
});

test("excludes another company's emails and rejects its domains", async () => {
  const [{ ctx }, { domain }] = [await aSender(), await aSender()];
  await placedEmails(domain, [at("2026-03-03T10:00:00Z", "sent")]);
  expect((await getMetricsChart(ctx, MARCH)).totals.sent).toBe(0);
  await expect(getMetricsChart(ctx, { ...MARCH, domainIds: [domain.id] })).rejects.toMatchObject({
    reason: "invalid",
  });
});

test("rejects a chart with thousands of points", async () => {
  const { ctx } = await aSender();
  await expect(
    getMetricsChart(ctx, { ...MARCH, start: parseMoment("2026-02-20"), granularity: "hourly" }),
  ).rejects.toMatchObject({ message: expect.stringContaining("more than 750") as string });
});
