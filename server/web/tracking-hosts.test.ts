import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, expect, test } from "vitest";

import { signOpen, signUnsubscribe } from "#server/core/sending/tracking/tracking-token.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { send } from "#server/testing/http-client.ts";
import { PLAIN_HTTP, saying } from "#server/testing/plain-http.ts";

import { front } from "./front.ts";
import { followTrackingHosts } from "./tracking-hosts.ts";

const OWN = { hostname: "mail.here.test", baseUrl: "https://post.here.test" };

let domain: Awaited<ReturnType<typeof aDomain>>;
let ask: (host: string, method: string, path: string) => ReturnType<typeof send>;
let stop: () => Promise<void>;

beforeAll(async () => {
  const { id } = await aCompany();
  domain = await aDomain(id, { trackingSubdomain: "links" });
  const hosts = await followTrackingHosts(db(), OWN, (problem) => {
    throw problem;
  });
  const served = saying("served");
  const policy = { ...PLAIN_HTTP, isTrackingHost: hosts.has };
  const server = createServer(front(policy, { api: served, pages: served }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  ask = (host, method, path) => send(port, method, path, { headers: { host } });
  stop = async () => {
    hosts.stop();
    server.close();
    await once(server, "close");
  };
});
afterAll(() => stop());

test("a company's host answers links and certificate authorities, and nothing else", async () => {
  const host = `links.${domain.name}`;
  const { id: emailId, companyId } = domain;
  const token = signUnsubscribe({
    companyId,
    emailId,
    recipient: "ann@example.org",
    isTest: false,
  });
  for (const named of [host, host.toUpperCase(), `${host}.`, `${host}:443`]) {
    expect(await ask(named, "GET", `/t/o/${signOpen(emailId)}`)).toMatchObject({ status: 200 });
    expect(await ask(named, "GET", `/t/u/${token}`)).toMatchObject({ status: 200 });
    const challenge = await ask(named, "GET", "/.well-known/acme-challenge/x");
    expect(challenge.text).toBe("No such challenge\n");
    for (const path of ["/", "/console", "/emails", "/healthz", "/metrics", "/docs", "/t/x/y"]) {
      const answer = await ask(named, "GET", path);
      expect([path, answer.status, JSON.parse(answer.text)]).toMatchObject([
        path,
        404,
        { name: "not_found" },
      ]);
    }
    expect(await ask(named, "POST", "/emails")).toMatchObject({ status: 404 });
  }
});

test("other hosts answer everything, this server's own ones too if a company names them", async () => {
  const { name } = await aDomain((await aCompany()).id, { trackingSubdomain: "post" });
  const own = { ...OWN, baseUrl: `https://post.${name}` };
  const hosts = await followTrackingHosts(db(), own, () => {});
  hosts.stop();
  expect(hosts.has(`post.${name}`)).toBe(false);
  expect(hosts.has(`links.${domain.name}`)).toBe(true);
  expect(hosts.has(undefined)).toBe(false);
  for (const host of [domain.name, `x.links.${domain.name}`, "localhost"])
    expect(await ask(host, "GET", "/emails")).toMatchObject({ status: 200, text: "served" });
});
