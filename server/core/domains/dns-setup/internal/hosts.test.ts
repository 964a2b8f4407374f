import { describe, expect, onTestFinished, test } from "vitest";

import { fakeCloudflare, fakeDigitalOcean, fakeHetzner } from "#server/testing/dns-host-apis.ts";
import {
  aDnsHostServer,
  type FakeApi,
  FakeZone,
  type ZoneLine,
} from "#server/testing/dns-host-server.ts";
import type { DnsHost } from "#server/core/domains/dns-setup/dns-host.ts";

import { readPages } from "./api-client.ts";
import { cloudflare, digitalOcean, hetzner } from "./hosts.ts";

type Api = Parameters<typeof cloudflare>[0] & { baseUrl: string };

const HOSTS: { name: string; fake: FakeApi; connect: (api: Api, token: string) => DnsHost }[] = [
  { name: "Cloudflare", fake: fakeCloudflare, connect: cloudflare },
  { name: "DigitalOcean", fake: fakeDigitalOcean, connect: digitalOcean },
  { name: "Hetzner", fake: fakeHetzner, connect: hetzner },
];

const LINES: ZoneLine[] = [
  ["northwind.com", "A", "192.0.2.1"],
  ["northwind.com", "TXT", '"google-site-verification=abc"'],
  ["northwind.com", "TXT", '"v=spf1 ip4:192.0.2.1 ~all"'],
  ["northwind.com", "MX", "10 mx1.elsewhere.net."],
  ["northwind.com", "MX", "20 mx2.elsewhere.net."],
  ["www.northwind.com", "CNAME", "web.elsewhere.net."],
];

describe.each(HOSTS)("$name", ({ fake, connect }) => {
  const open = async (token = "right") => {
    const zone = new FakeZone("northwind.com", LINES);
    const server = await aDnsHostServer(zone, fake, "right");
    onTestFinished(() => server.close());
    return { zone, server, host: connect(server, token) };
  };
  const opened = async () => {
    const { host, ...rest } = await open();
    const zone = (await host.openZone(["mail.northwind.com", "northwind.com"]))!;
    const all = await zone.list();
    const at = (type: string) =>
      all.filter((record) => record.type === type && record.name === "northwind.com");
    return { ...rest, hosted: zone, all, at };
  };

  test(`lists all pages of the closest zone in one notation`, async () => {
    const { hosted, all } = await opened();
    expect(hosted.name).toBe("northwind.com");
    expect(
      all.map(({ name, type, value, priority }) => [name, type, value, priority]).sort(),
    ).toEqual(
      [
        ["northwind.com", "A", "192.0.2.1", null],
        ["northwind.com", "MX", "mx1.elsewhere.net", 10],
        ["northwind.com", "MX", "mx2.elsewhere.net", 20],
        ["northwind.com", "TXT", "google-site-verification=abc", null],
        ["northwind.com", "TXT", "v=spf1 ip4:192.0.2.1 ~all", null],
        ["www.northwind.com", "CNAME", "web.elsewhere.net", null],
      ].sort(),
    );
  });

  test(`creates a text longer than one string`, async () => {
    const { hosted, zone } = await opened();
    const value = `v=DKIM1; k=rsa; p=${"A".repeat(380)}`;
    const place = { name: "ph1._domainkey.northwind.com", type: "TXT" as const };
    await hosted.write({ ...place, before: [], kept: [], added: { value, priority: null } });
    const [added] = (await hosted.list()).filter(({ name }) => name === place.name);
    expect(added).toMatchObject({ type: "TXT", value });
    expect(zone.lines).toHaveLength(LINES.length + 1);
  });

  test(`replaces one text and keeps the others of the name`, async () => {
    const { hosted, zone, at } = await opened();
    const before = at("TXT");
    const kept = before.filter(({ value }) => !value.startsWith("v=spf1"));
    const added = { value: "v=spf1 ip4:192.0.2.1 a:mail.host.test ~all", priority: null };
    await hosted.write({ name: "northwind.com", type: "TXT", before, kept, added });
    expect(zone.lines).toEqual(
      LINES.map(([name, type, content]): ZoneLine => [
        name,
        type,
        content.includes("v=spf1") ? `"${added.value}"` : content,
      ]).sort(),
    );
  });

  test(`replaces all mail servers, and creates a CNAME`, async () => {
    const { hosted, zone, at } = await opened();
    const mx = { value: "mail.host.test", priority: 10 };
    await hosted.write({
      name: "northwind.com",
      type: "MX",
      before: at("MX"),
      kept: [],
      added: mx,
    });
    const host = { name: "mta-sts.northwind.com", type: "CNAME" as const };
    const added = { value: "mail.host.test", priority: null };
    await hosted.write({ ...host, before: [], kept: [], added });
    expect(zone.lines.filter(([, type]) => type === "MX" || type === "CNAME")).toEqual([
      ["mta-sts.northwind.com", "CNAME", "mail.host.test."],
      ["northwind.com", "MX", "10 mail.host.test."],
      ["www.northwind.com", "CNAME", "web.elsewhere.net."],
    ]);
  });

  test(`rejected credentials and an unknown zone differ, and errors contain no secret`, async () => {
    const { host } = await open("wrong-secret");
    const error: unknown = await host.openZone(["northwind.com"]).catch((error: unknown) => error);
    expect(error).toMatchObject({ kind: "credentials" });
    expect(JSON.stringify(error) + String(error)).not.toContain("wrong-secret");
    const { host: right } = await open();
    expect(await right.openZone(["other.com"])).toBeNull();
  });

  test(`a failed write says whether others would fail too`, async () => {
    const { hosted, server, zone } = await opened();
    server.failures.push(422, 503, 429);
    const write = () =>
      hosted.write({
        name: "_dmarc.northwind.com",
        type: "TXT",
        before: [],
        kept: [],
        added: { value: "v=DMARC1; p=none", priority: null },
      });
    await expect(write()).rejects.toMatchObject({ kind: "rejected" });
    await expect(write()).rejects.toMatchObject({ kind: "unavailable" });
    await expect(write()).rejects.toMatchObject({ kind: "rate_limit" });
    expect(zone.lines).toHaveLength(LINES.length);
  });
});

test("a zone with too many pages is an error: records that weren't read would be replaced", async () => {
  let pages = 0;
  const endless = () => Promise.resolve({ items: [++pages], isLast: false });
  await expect(readPages(endless)).rejects.toMatchObject({ kind: "zone_too_large" });
  const isLast = () => pages >= 100;
  expect(await readPages(() => Promise.resolve({ items: [++pages], isLast: isLast() }))).toEqual(
    Array.from({ length: 50 }, (_, i) => 51 + i),
  );
});
