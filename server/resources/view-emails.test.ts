import { beforeAll, describe, expect, test } from "vitest";

import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";
import type { Privilege } from "#server/universal/privileges.ts";

import { consoleEndpoints } from "./pages.ts";
import { endpoints } from "./registry.ts";

/** What View emails can read: the first segments of API paths, and the console's names. */
const NOUNS = new Set<string>([
  ...(["emails", "received", "metrics", "logs", "templates", "suppressions"] as const),
  ...(["inbound-addresses", "inboundAddresses"] as const),
]);

/** Reads that are POST requests, so that the URL isn't logged. */
const READS_BY_POST = ["/console/api/emails/loadRemoteImage"];

/** Any full-access key can send. */
const SENDING = ["/emails", "/emails/batch"];

const nounOf = ({ path }: AnyEndpoint) => path.replace(/^\/console\/api/, "").split("/")[1]!;

const isRead = ({ method, path }: AnyEndpoint) => method === "GET" || READS_BY_POST.includes(path);

const rows = (all: AnyEndpoint[]) =>
  all.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

const all = [...endpoints, ...consoleEndpoints.filter(({ path }) => path.startsWith("/console/"))];
const ofNouns = all.filter((endpoint) => NOUNS.has(nounOf(endpoint)));
const reads = ofNouns.filter(isRead);
const changes = ofNouns.filter((endpoint) => !isRead(endpoint) && !SENDING.includes(endpoint.path));

let token: string;
let cookie: string;

beforeAll(async () => {
  const { id } = await aCompany();
  ({ token } = await anApiKey(id, { privileges: ["view_emails"] }));
  cookie = await aSession(id, ["view_emails"]);
});

/** No object has this ID, so allowed requests get a 404. */
const PARAMS = {
  id: "0198c0de-8e5f-7072-9d96-a1524fbe6055",
  position: "0",
  attachment_id: "0198c0de-8e5f-7072-9d96-a1524fbe6055",
  address: "a@unknown.example",
};

const ask = (endpoint: AnyEndpoint) =>
  call(endpoint, {
    ...(endpoint.path.startsWith("/console/") ? { cookie } : { key: token }),
    ...(endpoint.params && { params: PARAMS }),
    ...(endpoint.method !== "GET" && { body: {} }),
  });

test("covers both the API and the console", () => {
  expect(reads.length).toBeGreaterThan(35);
  expect(changes.length).toBeGreaterThan(25);
});

describe("with View emails only", () => {
  test.each(rows(reads))("%s is allowed", async (_, endpoint) => {
    const { status } = await ask(endpoint);
    const wanted = endpoint.params || endpoint.method !== "GET" ? [404, 422] : [200];
    expect(wanted).toContain(status);
  });

  test.each(rows(changes))("%s is refused", async (_, endpoint) => {
    expect(await ask(endpoint)).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  });
});

test("API controls still open all reads, and View emails opens nothing else", () => {
  const takes = (privilege: Privilege) => (endpoint: AnyEndpoint) =>
    [endpoint.privilege].flat().includes(privilege);
  expect(all.filter(takes("view_emails"))).toEqual(reads);
  expect(reads.filter((endpoint) => !takes("api_controls")(endpoint))).toEqual([]);
});
