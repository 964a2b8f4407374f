import { expect, test } from "vitest";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";
import { placedEmails } from "#server/testing/placed-emails.ts";

import { metricsConsole } from "./metrics.ts";

async function aReader(privileges = ["api_controls"]) {
  const { id: companyId } = await aCompany();
  const admin = await anAdmin(companyId, { privileges });
  return { companyId, cookie: await startSession(db(), admin.id) };
}

const MARCH = { startDate: "2026-03-01", endDate: "2026-03-02", timezone: "Europe/Berlin" };

test("periods follow the reader's time zone and include their exact start and end", async () => {
  const { companyId, cookie } = await aReader();
  const domain = await aDomain(companyId);
  await placedEmails(domain, [{ sentAt: "2026-03-01T23:30:00Z", types: ["sent", "delivered"] }]);

  const { status, body } = await call(metricsConsole.get, { cookie, query: MARCH });

  expect(status).toBe(200);
  expect(body).toMatchObject({
    start: "2026-02-28T23:00:00.000Z",
    totals: { delivered: 1, outcomes: { done: 1 } },
    former: { end: "2026-02-28T22:59:59.999Z", totals: { delivered: 0 } },
    periods: [
      { label: "2026-03-01", counts: { delivered: 0 } },
      { label: "2026-03-02", start: "2026-03-01T23:00:00.000Z", counts: { delivered: 1 } },
    ],
    domains: [
      {
        domainId: domain.id,
        domainName: domain.name,
        counts: { delivered: 1 },
        tracking: { opens: false, clicks: false },
      },
    ],
  });
});

test.each([
  [{ ...MARCH, timezone: "Mars/Olympus" }, "timezone"],
  [{ ...MARCH, startDate: "soon" }, "startDate"],
  [{ ...MARCH, startDate: "2026-04-01" }, "start_date"],
  [{ ...MARCH, domainId: "example.org" }, "domainId"],
])("rejects %j", async (query, field) => {
  const { cookie } = await aReader();
  expect(await call(metricsConsole.get, { cookie, query })).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(field) as string },
  });
});

test("rejects admins without api_controls and domains of other companies", async () => {
  const { cookie } = await aReader(["domains"]);
  expect(await call(metricsConsole.get, { cookie, query: MARCH })).toMatchObject({ status: 403 });
  const [ours, theirs] = [await aReader(), await aReader()];
  const { id } = await aDomain(theirs.companyId);
  const query = { ...MARCH, domainId: id };
  expect(await call(metricsConsole.get, { cookie: ours.cookie, query })).toMatchObject({
    status: 422,
  });
});
