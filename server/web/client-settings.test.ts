import { execFileSync } from "node:child_process";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { exchange, send } from "#server/testing/http-client.ts";
import { PLAIN_HTTP, saying } from "#server/testing/plain-http.ts";

import { createWebServer } from "./create-web-server.ts";

const DOMAIN = "northwind.example";
const ADDRESS = `ann@${DOMAIN}`;

let server: Server;
let port: number;

beforeAll(async () => {
  const company = await aCompany({ name: `North & <Wind>` });
  const domain = await aDomain(company.id, { name: DOMAIN });
  await aMailbox(domain, { address: ADDRESS });
  await aDomain(company.id, { name: "unproven.example", ownershipProvenAt: null });
  const elsewhere = saying("elsewhere");
  server = createWebServer(PLAIN_HTTP, { api: elsewhere, pages: elsewhere });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
});

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  send(port, method, path, { headers });

const golden = (name: string) => join(import.meta.dirname, "testdata", name);

/** Requires that an independent parser finds the XML well-formed. */
function expectXml(text: string) {
  execFileSync(
    "python3",
    ["-c", "import sys,xml.dom.minidom as m;m.parseString(sys.stdin.buffer.read())"],
    {
      input: text,
    },
  );
}

describe("Thunderbird's autoconfig", () => {
  const PATH = "/mail/config-v1.1.xml";

  test("serves the settings of a domain for any address", async () => {
    const answer = await ask(`${PATH}?emailaddress=${encodeURIComponent(ADDRESS)}`);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "text/xml; charset=utf-8",
      "cache-control": "public, max-age=300",
    });
    expectXml(answer.text);
    await expect(answer.text).toMatchFileSnapshot(golden("autoconfig.xml"));

    const stranger = await ask(`${PATH}?emailaddress=nobody%40${DOMAIN}`);
    expect(stranger.text).toBe(answer.text);
    const known = await ask(`/.well-known/autoconfig${PATH}?emailaddress=${ADDRESS}`);
    expect(known.text).toBe(answer.text);
    for (const host of [`autoconfig.${DOMAIN}`, `AUTOCONFIG.${DOMAIN}.:8443`, DOMAIN])
      expect((await ask(PATH, { host })).text).toBe(answer.text);
  });

  test.each([
    [`${PATH}?emailaddress=ann%40elsewhere.example`, `autoconfig.${DOMAIN}`],
    [`${PATH}?emailaddress=ann%40unproven.example`, "x.example"],
    [`${PATH}?emailaddress=`, `autoconfig.${DOMAIN}`],
    [`${PATH}?emailaddress=a%0d%0ab%40${DOMAIN}`, "x.example"],
    [PATH, "autoconfig.elsewhere.example"],
    [PATH, "autoconfig.unproven.example"],
    [PATH, "<script>"],
  ])("answers %s at %s with 404", async (path, host) => {
    const answer = await ask(path, { host });
    expect(answer).toMatchObject({
      status: 404,
      text: "This server doesn't handle mail for that domain\n",
    });
  });

  test("answers HEAD without a body, and rejects other methods", async () => {
    const path = `${PATH}?emailaddress=${ADDRESS}`;
    expect(await ask(path, {}, "HEAD")).toMatchObject({ status: 200, text: "" });
    expect((await ask(path, {}, "POST")).status).toBe(405);
  });
});

describe("Outlook's Autodiscover", () => {
  const PATH = "/autodiscover/autodiscover.xml";
  const OUTLOOK = "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";
  const request = (address: string, schema = OUTLOOK) => `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/requestschema/2006">
  <Request><EMailAddress>${address}</EMailAddress>
  <AcceptableResponseSchema>${schema}</AcceptableResponseSchema></Request>
</Autodiscover>`;
  const post = (body: string | Buffer, path = PATH) =>
    send(port, "POST", path, { body, headers: { "content-type": "text/xml" } });

  test("serves the settings for any address, whatever the case of the path", async () => {
    const answer = await post(request(ADDRESS), "/Autodiscover/Autodiscover.xml");
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "text/xml; charset=utf-8",
      "cache-control": "no-store",
    });
    expectXml(answer.text);
    await expect(answer.text).toMatchFileSnapshot(golden("autodiscover.xml"));
    const stranger = await post(request(`nobody@${DOMAIN}`));
    expect(stranger.text).toBe(answer.text.replaceAll(ADDRESS, `nobody@${DOMAIN}`));
  });

  test("reports errors in Outlook's format", async () => {
    const unknown = await post(request("ann@elsewhere.example"));
    expect(unknown.status).toBe(404);
    expect(unknown.text).toContain("<ErrorCode>500</ErrorCode>");
    const phone = await post(request(ADDRESS, OUTLOOK.replace("outlook", "mobilesync")));
    expect(phone.text).toContain("<ErrorCode>601</ErrorCode>");
    for (const nothing of ["", "<x/>", "no xml < at & all", "\0\xff", "<a>".repeat(5_000)]) {
      const answer = await post(nothing);
      expect(answer.text).toContain("<ErrorCode>600</ErrorCode>");
      expectXml(answer.text);
    }
  });

  test("ignores XML entities and rejects long bodies", async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "${ADDRESS}"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
    for (const entity of ["&a;", "&f;"]) {
      const answer = await post(bomb + request(entity));
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain("root:");
    }
    expect((await post(request(ADDRESS) + " ".repeat(20_000))).status).toBe(413);
    const chunk = `4e20\r\n${" ".repeat(20_000)}\r\n0\r\n\r\n`;
    const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await exchange(port, head + chunk)).toMatch(/^HTTP\/1\.1 413 /);
    expect((await post(request(`ann&#64;${DOMAIN}`))).status).toBe(200);
    expect((await post(request(`&lt;b&gt;@${DOMAIN}`))).status).toBe(404);
  });

  test("redirects GET from a name without a certificate to the appliance's own", async () => {
    const from = await ask(PATH, { host: `autodiscover.${DOMAIN}` });
    expect(from.status).toBe(302);
    expect(from.headers.location).toBe(`${config().baseUrl}/autodiscover/autodiscover.xml`);
    const here = await ask(PATH, { host: new URL(config().baseUrl).host });
    expect(here).toMatchObject({ status: 200 });
    expect(here.text).toContain("<ErrorCode>600</ErrorCode>");
    expect((await ask(PATH, {}, "PUT")).status).toBe(405);
  });

  test.each([
    [`?Email=${ADDRESS}&Protocol=AutodiscoverV1`, 200],
    [`?email=nobody%40${DOMAIN}&protocol=autodiscoverv1&RedirectCount=1`, 200],
    [`/v1.0/${ADDRESS}?Protocol=AutodiscoverV1`, 200],
    [`/V1.0/${encodeURIComponent(ADDRESS)}?protocol=AutodiscoverV1`, 200],
    [`?Email=ann@elsewhere.example&Protocol=AutodiscoverV1`, 404],
    [`/v1.0/%zz?Protocol=AutodiscoverV1`, 404],
    [`?Email=${ADDRESS}&Protocol=ActiveSync`, 400],
    [`?Email=${ADDRESS}`, 400],
    [`?Protocol=AutodiscoverV1`, 400],
  ])("v2: autodiscover.json%s: %i", async (rest, status) => {
    const answer = await ask(`/autodiscover/autodiscover.json${rest}`);
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toBe("application/json");
    const body = JSON.parse(answer.text) as object;
    if (status === 200)
      expect(body).toEqual({
        Protocol: "AutodiscoverV1",
        Url: `${config().baseUrl}/autodiscover/autodiscover.xml`,
      });
    else expect(Object.keys(body)).toEqual(["ErrorCode", "ErrorMessage"]);
  });
});

describe("Apple's profile", () => {
  test("for an address has everything but the password, whether or not the mailbox exists", async () => {
    const answer = await ask(`/apple.mobileconfig?email=${encodeURIComponent(ADDRESS)}`);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "application/x-apple-aspen-config",
      "content-disposition": `attachment; filename="mail.mobileconfig"`,
      "cache-control": "no-store",
    });
    expectXml(answer.text);
    await expect(answer.text).toMatchFileSnapshot(golden("apple.mobileconfig"));
    expect((await ask(`/apple.mobileconfig?email=nobody@${DOMAIN}`)).status).toBe(200);
    expect((await ask("/apple.mobileconfig?email=ann@elsewhere.example")).status).toBe(404);
    expect((await ask("/apple.mobileconfig")).status).toBe(404);
  });

  test("includes calendars and contacts if they are on", async () => {
    const { calendar, baseUrl } = config();
    Object.assign(config(), { calendar: { socketPath: "/x" }, baseUrl: "https://post.example" });
    const { text } = await ask(`/apple.mobileconfig?email=${encodeURIComponent(ADDRESS)}`);
    Object.assign(config(), { calendar, baseUrl });
    expectXml(text);
    await expect(text).toMatchFileSnapshot(golden("apple-calendars.mobileconfig"));
  });

  test("for the signed-in mailbox user has the name; without a session it redirects to the sign-in", async () => {
    const cookie = (
      await startAccountSession(db(), ADDRESS, { clientAddress: "192.0.2.1", userAgent: null })
    ).split(";")[0]!;
    const answer = await ask("/account/apple.mobileconfig", { cookie });
    expect(answer.text).toContain("<string>Ann Example</string>");
    expectXml(answer.text);
    const without = await ask("/account/apple.mobileconfig");
    expect(without.status).toBe(302);
    expect(without.headers.location).toBe("/account/sign-in?next=%2Faccount%2Fset-up");
  });
});
