import { beforeAll, describe, expect, test } from "vitest";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { propertiesOf, sampleOf, shapeOf } from "#server/testing/sample-of.ts";

import { endpoints } from "./registry.ts";

/** What Postgres, JSON or a pattern would stumble over. */
const TEXTS = ["a\0b", "%", "\\", "9".repeat(30), "0000-01-01T00:00:00Z", "x".repeat(5_000)];
const VALUES: unknown[] = [...TEXTS, "\ud800", null, 2 ** 53, 1.5, [], {}, [null]];
const UUID = "01990000-0000-7000-8000-000000000000";

/** These two end the session that all others are called with; passwords cost a second each. */
const LEFT_OUT = ["/sign-out", "/profile/sessions", "/sign-in", "/profile/password"];
const named = endpoints
  .filter(({ path }) => !LEFT_OUT.some((end) => path.endsWith(end)))
  .map((each) => [`${each.method} ${each.path}`, each] as const);

let cookie: string;
beforeAll(async () => {
  const { id } = await anAdmin((await aCompany()).id, { isOwner: true, isOperator: true });
  cookie = (await startSession(db(), id)).split(";")[0]!;
});

/** No mail server runs here: only what comes before it is looked at. */
const isOfMailServer = (body: unknown) => /mail server/.test(JSON.stringify(body));

async function requireNoFailure(endpoint: AnyEndpoint, given: Parameters<typeof call>[1]) {
  const { status, body } = await call(endpoint, { ...given, cookie });
  const told = `${JSON.stringify(given).slice(0, 200)}: ${status} ${JSON.stringify(body)}`;
  expect.soft(status < 500 || isOfMailServer(body), told).toBe(true);
}

describe.each(named)("%s", (_, endpoint) => {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const params = Object.fromEntries(inPath.map((name) => [name, UUID]));
  const inBody = shapeOf(endpoint.body);
  const body =
    endpoint.body && (sampleOf(inBody, { id: UUID, text: "probe@example.com" }) as object);

  test("answers whatever stands in its path, its query and its body", async () => {
    for (const name of inPath)
      for (const text of TEXTS)
        await requireNoFailure(endpoint, { params: { ...params, [name]: text }, body });
    for (const name of Object.keys(propertiesOf(shapeOf(endpoint.query))))
      for (const text of TEXTS)
        await requireNoFailure(endpoint, { params, query: [[name, text]], body });
    if (!body) return;
    for (const whole of [null, [], "x"]) await requireNoFailure(endpoint, { params, body: whole });
    for (const name of Object.keys(propertiesOf(inBody)))
      for (const value of VALUES)
        await requireNoFailure(endpoint, { params, body: { ...body, [name]: value } });
  }, 60_000);
});
