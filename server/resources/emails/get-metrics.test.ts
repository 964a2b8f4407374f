import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { domains } from "#drizzle/schema/index.ts";
import { COUNT_METRICS, METRICS } from "#server/core/sending/metrics/metric-names.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aDomain } from "#server/testing/factories.ts";
import { placedEmails } from "#server/testing/placed-emails.ts";

import { emailsApi } from "./api.ts";

const MARCH = { start_date: "2026-03-01", end_date: "2026-03-31" };

async function aSender(name?: string) {
  const { id: companyId } = await aCompany();
  const { token: key } = await anApiKey(companyId);
  return { key, domain: await aDomain(companyId, name ? { name } : {}) };
}

type Query = Record<string, string> | [string, string][];

async function metricsOf(key: string, query: Query) {
  const { status, body } = await call(emailsApi.getMetrics, { key, query });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as Record<string, unknown>;
}

describe("GET /emails/metrics", () => {
  test("returns zeros for every metric of the last seven days to a company without emails", async () => {
    const { key } = await aSender();
    const before = Date.now();

    const body = await metricsOf(key, {});

    const end = Date.parse(body.end_date as string);
    expect(end).toBeGreaterThanOrEqual(before);
    expect(end).toBeLessThanOrEqual(Date.now());
    expect(body).toEqual({
      object: "metrics",
      start_date: new Date(end - 7 * 86_400_000).toISOString(),
      end_date: new Date(end).toISOString(),
      timezone: "UTC",
      granularity: "daily",
      metrics: METRICS,
      dimensions: [],
      totals: Object.fromEntries(METRICS.map((metric) => [metric, 0])),
    });
  });

  test("counts an email once per type, and rounds rates to four decimals", async () => {
    const { key, domain } = await aSender();
    const sentAt = "2026-03-10T12:00:00Z";
    await placedEmails(domain, [
      { sentAt, types: ["scheduled", "queued", "sent", "delivered", "opened", "clicked"] },
      { sentAt, types: ["sent", "delivery_delayed", "delivered", "opened"] },
      { sentAt, types: ["sent", "delivered", "complained", "suppressed"] },
      { sentAt, types: ["sent", "delivery_delayed", "bounced"] },
      { sentAt: null, createdAt: sentAt, types: ["scheduled", "canceled"] },
      { sentAt: null, createdAt: sentAt, types: ["failed"] },
      { sentAt: null, createdAt: sentAt, types: ["suppressed"] },
    ]);

    expect((await metricsOf(key, MARCH)).totals).toEqual({
      sent: 4,
      delivered: 3,
      delivery_delayed: 2,
      bounced: 1,
      complained: 1,
      failed: 1,
      opened: 2,
      clicked: 1,
      suppressed: 2,
      canceled: 1,
      scheduled: 2,
      delivery_rate: 0.75,
      bounce_rate: 0.25,
      open_rate: 0.6667,
      click_rate: 0.3333,
    });
  });

  test("never returns a rate over 1", async () => {
    const { key, domain } = await aSender();
    const sentAt = "2026-03-10T12:00:00Z";
    await placedEmails(domain, [
      { sentAt, types: ["sent", "opened"] },
      { sentAt, types: ["sent", "delivered", "opened"] },
    ]);

    expect((await metricsOf(key, { ...MARCH, metrics: "open_rate" })).totals).toEqual({
      open_rate: 1,
    });
  });

  test("places an email by the time it was sent, or accepted if it was not sent", async () => {
    const { key, domain } = await aSender();
    await placedEmails(domain, [
      { createdAt: "2026-02-27T12:00:00Z", sentAt: "2026-03-02T12:00:00Z", types: ["sent"] },
      { createdAt: "2026-03-31T12:00:00Z", sentAt: "2026-04-02T12:00:00Z", types: ["sent"] },
      { createdAt: "2026-03-05T12:00:00Z", sentAt: null, types: ["failed"] },
    ]);

    const { totals, data } = await metricsOf(key, {
      ...MARCH,
      metrics: "sent,failed",
      dimensions: "period",
    });

    expect(totals).toEqual({ sent: 1, failed: 1 });
    expect(data).toEqual([
      { period: "2026-03-02", sent: 1, failed: 0 },
      { period: "2026-03-05", sent: 0, failed: 1 },
    ]);
  });

  test("includes the first and last microsecond of the range, and nothing beyond", async () => {
    const { key, domain } = await aSender();
    await placedEmails(
      domain,
      [
        "2026-02-28T23:59:59.999999Z",
        "2026-03-01T00:00:00Z",
        "2026-03-31T23:59:59.999999Z",
        "2026-04-01T00:00:00Z",
      ].map((sentAt) => ({ sentAt, types: ["sent"] })),
    );

    expect((await metricsOf(key, { ...MARCH, metrics: "sent" })).totals).toEqual({ sent: 2 });
  });

  test("returns the resolved range and the requested lists without duplicates", async () => {
    const { key } = await aSender();

    expect(
      await metricsOf(key, [
        ["start_date", "2026-03-01"],
        ["end_date", "2026-03-31"],
        ["timezone", "europe/berlin"],
        ["granularity", "weekly"],
        ["metrics", "delivered,sent, delivered"],
        ["metrics", "sent,open_rate"],
        ["dimensions", "domain"],
        ["dimensions", "period,domain"],
      ]),
    ).toEqual({
      object: "metrics",
      start_date: "2026-02-28T23:00:00.000Z",
      end_date: "2026-03-31T21:59:59.999Z",
      timezone: "Europe/Berlin",
      granularity: "weekly",
      metrics: ["delivered", "sent", "open_rate"],
      dimensions: ["domain", "period"],
      totals: { delivered: 0, sent: 0, open_rate: 0 },
      data: [],
    });
  });

  test("sorts entries by period, then domain name, with deleted domains last in one entry", async () => {
    const { key, domain: b } = await aSender();
    const { companyId } = b;
    const a = await aDomain(companyId, { name: `0${b.name}` });
    const gone = await aDomain(companyId);
    const goneToo = await aDomain(companyId);
    const sent = (sentAt: string) => ({ sentAt, types: ["sent" as const] });
    for (const domain of [gone, b, a, goneToo])
      await placedEmails(domain, [sent("2026-03-03T12:00:00Z"), sent("2026-03-02T12:00:00Z")]);
    for (const { id } of [gone, goneToo]) await db().delete(domains).where(eq(domains.id, id));
    const query = { ...MARCH, metrics: "sent" };

    const named = (domain: { id: string; name: string }) => ({
      domain_id: domain.id,
      domain_name: domain.name,
    });
    const nobody = { domain_id: null, domain_name: null };
    const days = ["2026-03-02", "2026-03-03"].map((period) => ({ period }));
    expect((await metricsOf(key, { ...query, dimensions: "domain,period" })).data).toEqual(
      days.flatMap((day) => [
        { ...day, ...named(a), sent: 1 },
        { ...day, ...named(b), sent: 1 },
        { ...day, ...nobody, sent: 2 },
      ]),
    );
    expect((await metricsOf(key, { ...query, dimensions: "domain" })).data).toEqual([
      { ...named(a), sent: 2 },
      { ...named(b), sent: 2 },
      { ...nobody, sent: 4 },
    ]);
    expect((await metricsOf(key, { ...query, dimensions: "period" })).data).toEqual(
      days.map((day) => ({ ...day, sent: 4 })),
    );
    expect((await metricsOf(key, query)).totals).toEqual({ sent: 8 });
  });

  test("counts only the requested domains, comma-separated or repeated", async () => {
    const { key, domain: a } = await aSender();
    const [b, c] = [await aDomain(a.companyId), await aDomain(a.companyId)];
    for (const domain of [a, b, c])
      await placedEmails(domain, [{ sentAt: "2026-03-03T12:00:00Z", types: ["sent"] }]);
    const sentOf = async (...ids: string[]) => {
      const query = Object.entries({ ...MARCH, metrics: "sent" });
      for (const id of ids) query.push(["domain_id", id]);
      return (await metricsOf(key, query)).totals;
    };

    expect(await sentOf()).toEqual({ sent: 3 });
    expect(await sentOf(a.id)).toEqual({ sent: 1 });
    expect(await sentOf(a.id.toUpperCase(), b.id, a.id)).toEqual({ sent: 2 });
    expect(await sentOf(`${a.id},${b.id}`, c.id)).toEqual({ sent: 3 });
  });

  test("accepts 100 domain ids, with duplicates", async () => {
    const { key, domain } = await aSender();
    const named = Array.from({ length: 99 }, (_, i) => ({
      companyId: domain.companyId,
      name: `${i}.${domain.name}`,
      ownershipToken: "token",
    }));
    const more = await db().insert(domains).values(named).returning();
    const ids = [domain, ...more, domain].map(({ id }) => id).join(",");

    expect((await metricsOf(key, { domain_id: ids, metrics: "sent" })).totals).toEqual({ sent: 0 });
  });

  test.each([
    ["hourly", ["2026-03-01T00:00:00", "2026-03-02T23:00:00", "2026-03-31T23:00:00"]],
    ["daily", ["2026-03-01", "2026-03-02", "2026-03-31"]],
    ["weekly", ["2026-02-23", "2026-03-02", "2026-03-30"]],
    ["monthly", ["2026-03-01"]],
  ])("labels %s periods by their start in the time zone", async (granularity, labels) => {
    const { key, domain } = await aSender();
    // Kathmandu is 5:45 ahead.
    await placedEmails(
      domain,
      ["2026-02-28T18:15:00Z", "2026-03-02T18:14:59.999999Z", "2026-03-31T18:14:00Z"].map(
        (sentAt) => ({ sentAt, types: ["sent"] }),
      ),
    );

    const { data } = await metricsOf(key, {
      ...MARCH,
      timezone: "Asia/Kathmandu",
      granularity,
      dimensions: "period",
    });

    expect((data as { period: string }[]).map(({ period }) => period)).toEqual(labels);
  });

  test("merges the hour that a clock change repeats into one entry", async () => {
    const { key, domain } = await aSender();
    await placedEmails(
      domain,
      ["2026-10-24T23:59:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map((sentAt) => ({
        sentAt,
        types: ["sent"],
      })),
    );

    const query = { start_date: "2026-10-25", end_date: "2026-10-25", timezone: "Europe/Berlin" };
    expect(
      (
        await metricsOf(key, {
          ...query,
          granularity: "hourly",
          dimensions: "period",
          metrics: "sent",
        })
      ).data,
    ).toEqual([
      { period: "2026-10-25T01:00:00", sent: 1 },
      { period: "2026-10-25T02:00:00", sent: 2 },
    ]);
  });

  test("returns an entry wherever there are events, even if no requested metric counts them", async () => {
    const { key, domain } = await aSender();
    await placedEmails(domain, [{ sentAt: "2026-03-03T12:00:00Z", types: ["sent"] }]);

    expect(
      (await metricsOf(key, { ...MARCH, metrics: "bounced", dimensions: "period" })).data,
    ).toEqual([{ period: "2026-03-03", bounced: 0 }]);
  });

  test.each(COUNT_METRICS)("counts %s alone when nothing else is requested", async (metric) => {
    const { key, domain } = await aSender();
    await placedEmails(domain, [{ sentAt: "2026-03-03T12:00:00Z", types: [metric] }]);

    expect((await metricsOf(key, { ...MARCH, metrics: metric })).totals).toEqual({ [metric]: 1 });
  });

  test("never counts another company's emails", async () => {
    const [{ domain: foreign }, { key }] = [await aSender(), await aSender()];
    await placedEmails(foreign, [{ sentAt: "2026-03-03T12:00:00Z", types: ["sent"] }]);

    const { totals, data } = await metricsOf(key, {
      ...MARCH,
      metrics: "sent",
      dimensions: "period,domain",
    });
    expect({ totals, data }).toEqual({ totals: { sent: 0 }, data: [] });
  });
});
