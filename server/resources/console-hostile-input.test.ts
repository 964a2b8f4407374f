import { beforeAll, describe, expect, test } from "vitest";

import { startAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";
import { propertiesOf, sampleOf, shapeOf } from "#server/testing/sample-of.ts";

import { accountEndpoints, consoleEndpoints } from "./pages.ts";

/** Values that break Postgres, JSON or regular expressions if unchecked. */
const TEXTS = ["a\0b", "%", "\\", "9".repeat(30), "0000-01-01T00:00:00Z", "x".repeat(5_000)];

const VALUES: unknown[] = [...TEXTS, "\ud800", null, 2 ** 53, 1.5, [], {}, [null]];
const UUID = "01990000-0000-7000-8000-000000000000";

/** These end the shared session, or take a second each to hash a password. */
const SKIPPED_PATHS = [
  "/sessions/signOut",
  "/sessions/signIn",
  "/profile/endOwnOtherSessions",
  "/profile/changePassword",
];

const webmail = accountEndpoints.filter(({ path }) => path.startsWith("/account/api/webmail/"));

const named = [...consoleEndpoints, ...webmail]
  .filter(({ path }) => !SKIPPED_PATHS.some((end) => path.endsWith(end)))
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

let cookie: string;

beforeAll(async () => {
  const company = await aCompany();
  const { id } = await anAdmin(company.id, { isOwner: true, isOperator: true });
  const { address } = await aMailbox(await aDomain(company.id));
  const from = { clientAddress: "127.0.0.1", userAgent: null };
  const started = [await startSession(db(), id), await startAccountSession(db(), address, from)];
  cookie = started.map((each) => each.split(";")[0]!).join("; ");
});

/** No mail server runs here, so these errors are expected. */
const isMailServerError = (body: unknown) => /mail server/.test(JSON.stringify(body));

async function expectNoServerError(endpoint: AnyEndpoint, input: Parameters<typeof call>[1]) {
  const { status, body } = await call(endpoint, { ...input, cookie });
  const description = `${JSON.stringify(input).slice(0, 200)}: ${status} ${JSON.stringify(body)}`;
  expect.soft(status < 500 || isMailServerError(body), description).toBe(true);
}

describe.each(named)("%s", (_, endpoint) => {
  const paramNames = Object.keys(propertiesOf(shapeOf(endpoint.params)));
  const params = Object.fromEntries(paramNames.map((name) => [name, UUID]));
  const bodySchema = shapeOf(endpoint.body);
  const body =
    endpoint.body && (sampleOf(bodySchema, { id: UUID, text: "probe@example.com" }) as object);

  test("returns no server error for hostile parameters, queries and bodies", async () => {
    for (const name of paramNames)
      for (const text of TEXTS)
        await expectNoServerError(endpoint, { params: { ...params, [name]: text }, body });
    for (const name of Object.keys(propertiesOf(shapeOf(endpoint.query))))
      for (const text of TEXTS)
        await expectNoServerError(endpoint, { params, query: [[name, text]], body });
    if (!body) return;
    for (const invalid of [null, [], "x"])
      await expectNoServerError(endpoint, { params, body: invalid });
    for (const name of Object.keys(propertiesOf(bodySchema)))
      for (const value of VALUES)
        await expectNoServerError(endpoint, { params, body: { ...body, [name]: value } });
  });
});
