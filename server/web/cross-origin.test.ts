import { beforeAll, describe, expect, test } from "vitest";

import { startAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { anOwnerSession } from "#server/testing/operators.ts";

import { servedEndpoints } from "./answer-api.ts";

const KEY_PERMISSIONS = new Set<unknown>(["sending_access", "full_access", "test"]);

/** Writes that browsers can send for a signed-in user, because they don't require an API key. */
const writes = servedEndpoints
  .filter(({ method }) => method !== "GET")
  .filter(({ permission }) => !KEY_PERMISSIONS.has(permission))
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

const OTHER_ORIGINS: [string, Record<string, string>][] = [
  ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
  ["another host of the site", { "sec-fetch-site": "same-site", origin: "https://a.example.com" }],
  ["a sandboxed frame", { origin: "null" }],
  ["an unknown origin", {}],
  ["a form", { "sec-fetch-site": "same-origin", "content-type": "text/plain" }],
];

let cookie: string;

/** Sessions of a console owner and of a mailbox user in one browser. */
beforeAll(async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  const browser = { clientAddress: "192.0.2.1", userAgent: null };
  const account = await startAccountSession(db(), address, browser);
  cookie = [await anOwnerSession(), account.split(";")[0]].join("; ");
});

test("finds the writes of the console and of /account", () => {
  const paths = writes.map(([name]) => name);
  expect(paths).toContain("POST /console/api/sessions/signIn");
  expect(paths).toContain("POST /account/api/sessions/signIn");
  expect(paths).toContain("POST /console/api/settings/update");
  expect(paths).toContain("POST /account/api/sessions/changePassword");
});

// Every path parameter names nothing: the check must come before any lookup, and before the body is read.
describe.each(writes)("%s", (_, endpoint) => {
  test.each(OTHER_ORIGINS)("rejects requests from %s", async (_, headers) => {
    const params = Object.fromEntries(
      [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, "0"]),
    );
    const answers = [
      await call(endpoint, { params, headers: { cookie, ...headers } }),
      await call(endpoint, { params, headers }),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 403, body: { name: "cross_origin" } });
  });
});
