import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { companies, emailEvents, emails } from "#drizzle/schema/index.ts";
import { eventBits } from "#server/core/sending/events/email-events.ts";
import { signClick, signOpen } from "#server/core/sending/tracking/tracking-token.ts";
import { db } from "#server/db/pool.ts";
import { aDomain } from "#server/testing/factories.ts";
import { aTrackedEmail, aTrackingServer, shownOf } from "#server/testing/tracking-server.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;

beforeAll(async () => {
  web = await aTrackingServer();
});
afterAll(() => web.stop());

type Email = Awaited<ReturnType<typeof aTrackedEmail>>;

const image = ({ id }: { id: string }) => `/t/o/${signOpen(id)}`;
const link = ({ id }: { id: string }, url: string) => `/t/c/${signClick({ emailId: id, url })}`;
const ownUrl = ({ sender }: Email) => `https://${sender.name}/order?id=1`;

/** Makes all recorded visits a minute older. */
const aMinuteLater = ({ id }: Email) =>
  db()
    .update(emailEvents)
    .set({ createdAt: sql`created_at - interval '1 minute'` })
    .where(eq(emailEvents.emailId, id));

describe("the image", () => {
  test("is an uncacheable one-pixel GIF without cookies", async () => {
    const answer = await web.ask(image(await aTrackedEmail()));

    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^GIF89a\x01\0\x01\0/);
    expect(answer.headers).toMatchObject({
      "content-type": "image/gif",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "cross-origin",
    });
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  test("records email.opened with the reader's address and program, and last_event opened", async () => {
    const email = await aTrackedEmail();
    await web.ask(image(email), { "user-agent": "Mail/1.0 (tést)" });

    const { visits, lastEvent } = await shownOf(email);
    expect(visits).toEqual([
      expect.objectContaining({
        type: "email.opened",
        recipient: null,
        ip_address: "127.0.0.1",
        user_agent: "Mail/1.0 (tést)",
      }),
    ]);
    expect(visits[0]).not.toHaveProperty("link");
    expect(lastEvent).toBe("opened");
  });

  test.each([
    ["without a valid token", "x"],
    [
      "with a link's token",
      signClick({ emailId: "0190f3c2-7a77-7000-8000-0123456789ab", url: "" }),
    ],
    ["of an unknown email", signOpen("0190f3c2-7a77-7000-8000-0123456789ab")],
    ["with malformed percent-encoding", "%"],
  ])("is served for a path %s", async (_, token) => {
    const answer = await web.ask(`/t/o/${token}`);
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "image/gif" } });
  });

  test("records at most one open a minute", async () => {
    const email = await aTrackedEmail();
    await web.ask(image(email));
    await web.ask(image(email), { "user-agent": "Another/1" });
    expect((await shownOf(email)).visits).toHaveLength(1);

    await aMinuteLater(email);
    await web.ask(image(email));
    expect((await shownOf(email)).visits).toHaveLength(2);
  });

  test("records one open for twenty concurrent requests", async () => {
    const email = await aTrackedEmail();
    await Promise.all(Array.from({ length: 20 }, () => web.ask(image(email))));
    expect((await shownOf(email)).visits).toHaveLength(1);
  });

  test.each([
    ["without open tracking", { openTracking: false }],
    ["that has not been sent", { sentAt: null }],
  ])("records nothing for an email %s", async (_, changes) => {
    const email = await aTrackedEmail(changes);
    expect(await web.ask(image(email))).toMatchObject({ status: 200 });
    expect(await shownOf(email)).toEqual({ visits: [], lastEvent: "sent" });
  });

  test("still records an open after 180 days", async () => {
    const email = await aTrackedEmail({ createdAt: "2020-01-01T00:00:00Z" });
    await web.ask(image(email));
    expect((await shownOf(email)).visits).toHaveLength(1);
  });
});

describe("a link to the company's own site", () => {
  test("redirects to the exact URL, without referrer, cookie or caching", async () => {
    const email = await aTrackedEmail();
    const url = `https://shop.${email.sender.name}:8443/a%20b/?q=1&r=%C3%BC#part`;

    const answer = await web.ask(link(email, url));
    expect(answer).toMatchObject({ status: 302, text: "", headers: { location: url } });
    expect(answer.headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    });
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  test("records email.clicked with link, address and program, and last_event clicked", async () => {
    const email = await aTrackedEmail();
    await web.ask(image(email));
    await web.ask(link(email, ownUrl(email)), { "user-agent": "Browser/2" });

    const { visits, lastEvent } = await shownOf(email);
    expect(visits[1]).toMatchObject({
      type: "email.clicked",
      recipient: null,
      link: ownUrl(email),
      ip_address: "127.0.0.1",
      user_agent: "Browser/2",
    });
    expect(lastEvent).toBe("clicked");
    const [row] = await db().select().from(emails).where(eq(emails.id, email.id));
    expect(row!.eventTypes).toBe(eventBits(["opened", "clicked"]));
  });

  test.each([
    ["the domain itself", (name: string) => `https://${name}/`],
    ["a subdomain", (name: string) => `http://shop.${name}/`],
    ["a subdomain of a subdomain", (name: string) => `https://a.b.${name}`],
    ["the domain in capitals", (name: string) => `HTTPS://${name.toUpperCase()}/`],
    ["the domain with a dot at the end", (name: string) => `https://${name}./`],
  ])("includes %s", async (_, urlOf) => {
    const email = await aTrackedEmail();
    const url = urlOf(email.sender.name);
    expect(await web.ask(link(email, url))).toMatchObject({
      status: 302,
      headers: { location: new URL(url).href },
    });
  });

  test("includes the company's other verified domains, also in Unicode", async () => {
    const email = await aTrackedEmail();
    const name = `xn--bcher-kva.${email.id}.example`;
    await aDomain(email.sender.companyId, { name });
    const url = `https://bücher.${email.id}.example/é`;
    expect(await web.ask(link(email, url))).toMatchObject({
      status: 302,
      headers: { location: `https://${name}/%C3%A9` },
    });
  });

  test("redirects whatever a mail program adds to the URL", async () => {
    const email = await aTrackedEmail();
    const answer = await web.ask(`${link(email, ownUrl(email))}?fbclid=x&utm_source=y`);
    expect(answer).toMatchObject({ status: 302, headers: { location: ownUrl(email) } });
  });
});

describe("a link to another site", () => {
  test.each([
    ["a domain that isn't the company's", () => "elsewhere.example"],
    ["a name that only ends like the domain", ({ sender }: Email) => `evil${sender.name}`],
    ["a name that begins with the domain", ({ sender }: Email) => `${sender.name}.evil.example`],
    ["the domain as a user name", ({ sender }: Email) => `${sender.name}@evil.example`],
    ["the parent of the domain", () => "example"],
    ["an IPv4 address", () => "192.0.2.1"],
    ["an IPv6 address", () => "[2001:db8::1]:8080"],
  ])("includes %s, and shows the page first", async (_, hostOf) => {
    const email = await aTrackedEmail();
    const answer = await web.ask(link(email, `https://${hostOf(email)}/`));
    expect(answer.status).toBe(200);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.text).toContain("Continue to");
    expect((await shownOf(email)).visits).toHaveLength(1);
  });

  test.each(["not_started", "pending", "partially_verified"] as const)(
    "includes the company's domain while it is %s",
    async (status) => {
      const email = await aTrackedEmail();
      const { name } = await aDomain(email.sender.companyId, { status });
      expect(await web.ask(link(email, `https://${name}/`))).toMatchObject({ status: 200 });
    },
  );

  test("includes a domain of another company", async () => {
    const [email, other] = [await aTrackedEmail(), await aTrackedEmail()];
    expect(await web.ask(link(email, ownUrl(other)))).toMatchObject({ status: 200 });
  });
});

describe("clicks", () => {
  test("are recorded once a minute for each link", async () => {
    const email = await aTrackedEmail();
    const [first, second] = [ownUrl(email), "https://elsewhere.example/"];
    for (const url of [first, second, first, second]) await web.ask(link(email, url));
    expect((await shownOf(email)).visits.map(({ link }) => link)).toEqual([first, second]);

    await aMinuteLater(email);
    await web.ask(link(email, second));
    expect((await shownOf(email)).visits.map(({ link }) => link)).toEqual([first, second, second]);
  });

  test("are counted exactly when concurrent with each other and with opens", async () => {
    const email = await aTrackedEmail();
    const urls = [ownUrl(email), "https://elsewhere.example/"];
    const paths = [...urls.map((url) => link(email, url)), image(email)];
    await Promise.all(Array.from({ length: 30 }, (_, i) => web.ask(paths[i % 3]!)));

    const { visits } = await shownOf(email);
    expect(visits.map(({ type, link }) => link ?? type).sort()).toEqual(
      ["email.opened", ...urls].sort(),
    );
  });

  test.each([
    ["without click tracking", { clickTracking: false }],
    ["that has not been sent", { sentAt: null }],
  ])("of an email %s redirect without being recorded", async (_, changes) => {
    const email = await aTrackedEmail(changes);
    expect(await web.ask(link(email, ownUrl(email)))).toMatchObject({ status: 302 });
    expect((await shownOf(email)).visits).toEqual([]);
  });

  test("have the user agent truncated to 500 characters, without control characters", async () => {
    const email = await aTrackedEmail();
    const userAgent = `A\x85B\t${"x".repeat(900)}`;
    await web.ask(link(email, ownUrl(email)), { "user-agent": userAgent });
    expect((await shownOf(email)).visits[0]).toMatchObject({
      user_agent: `A B ${"x".repeat(496)}`,
    });
  });
});

describe("180 days after its email was accepted, a link", () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000 + 60_000).toISOString();

  test("still redirects in the last minute", async () => {
    const email = await aTrackedEmail({ createdAt: daysAgo(180) });
    expect(await web.ask(link(email, ownUrl(email)))).toMatchObject({ status: 302 });
  });

  test("shows that it has expired, names the host without a link, and records nothing", async () => {
    const email = await aTrackedEmail({ createdAt: daysAgo(181) });
    const answer = await web.ask(link(email, `${ownUrl(email)}&secret`));

    expect(answer.status).toBe(410);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.text).toContain("This link has expired");
    expect(answer.text).toContain(email.sender.name);
    expect(answer.text).not.toMatch(/href|secret/);
    expect(await shownOf(email)).toEqual({ visits: [], lastEvent: "sent" });
  });
});

describe("an email that is deleted with its company", () => {
  test("has links that lead to the page", async () => {
    const email = await aTrackedEmail();
    await db().delete(companies).where(eq(companies.id, email.sender.companyId));

    const answer = await web.ask(link(email, ownUrl(email)));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(ownUrl(email));
    expect(await web.ask(image(email))).toMatchObject({ status: 200 });
  });

  test("has links that expire by the age of its ID", async () => {
    const answer = await web.ask(
      link({ id: "017f22e2-79b0-7cc3-98c4-dc0c0c07398f" }, "https://a.example/"),
    );
    expect(answer.status).toBe(410);
  });
});
