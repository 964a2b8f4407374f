import { beforeAll, expect, test } from "vitest";

import { domainFindings, emails } from "#drizzle/schema/index.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aMailbox,
  anInboundAddress,
  aSuppression,
} from "#server/testing/factories.ts";

import { checkEmail } from "./check-email.ts";

type Domain = Awaited<ReturnType<typeof aDomain>>;

let ctx: Context;
let domain: Domain;
let other: Domain;

/** Answers for `there.test`, `caught.test`, `null.test` and `down.test` only. */
const resolver: Pick<Resolver, "mx" | "a" | "aaaa"> = {
  mx: (name) =>
    Promise.resolve(
      ["there.test", "caught.test"].includes(name)
        ? { kind: "found", records: [mx(20, "b.there.test"), mx(10, "A.there.test")] }
        : name === "null.test"
          ? { kind: "found", records: [mx(0, "")] }
          : name === "down.test"
            ? { kind: "failed", reason: "TIMEOUT" }
            : { kind: "no_name" },
    ),
  a: () => Promise.resolve({ kind: "no_data" }),
  aaaa: () => Promise.resolve({ kind: "no_data" }),
};
const mx = (preference: number, exchange: string) => ({ preference, exchange });

beforeAll(async () => {
  const { id } = await aCompany();
  ctx = aContext(id);
  domain = await aDomain(id);
  other = await aDomain((await aCompany()).id);
  await aMailbox(domain, { address: `ann@${domain.name}` });
  await aMailbox(other, { address: `eve@${other.name}` });
  await aSuppression(id, { email: "gone@there.test", origin: "bounce" });
});

function input(to: string[], changes: Partial<EmailInput> = {}): EmailInput {
  const address = (given: string) => ({ name: "", address: given });
  const from = `hello@${domain.name}`;
  return {
    from,
    fromAddress: address(from),
    to: to.map(address),
    cc: [],
    bcc: [],
    replyTo: [],
    subject: "Your order",
    html: null,
    text: "Thank you.",
    headers: {},
    tags: [],
    attachments: [],
    scheduledAt: null,
    ...changes,
  };
}

const check = (to: string[], changes?: Partial<EmailInput>) =>
  checkEmail(ctx, { key: null, input: input(to, changes) }, resolver);

test("says for each recipient what would happen, and stores nothing", async () => {
  const before = await db().$count(emails);
  const { recipients, result } = await check([
    "ben@there.test",
    "gone@there.test",
    `ann@${domain.name}`,
    "a@null.test",
    "a@nowhere.test",
    "a@down.test",
  ]);
  expect(result).toBe("errors");
  expect(recipients).toMatchObject([
    { outcome: "deliver", destination: "external", mailHosts: ["a.there.test", "b.there.test"] },
    { outcome: "suppressed", reason: expect.stringContaining("bounced") as string },
    { outcome: "deliver", destination: "mailbox" },
    { outcome: "bounce", reason: "The domain null.test does not accept mail (null MX)" },
    { outcome: "bounce", reason: "The domain nowhere.test does not exist" },
    {
      outcome: "unknown",
      reason: expect.stringContaining("of down.test could not be looked up") as string,
    },
  ]);
  expect(await db().$count(emails)).toBe(before);
});

test("tells nothing about addresses of another company", async () => {
  const { recipients } = await check([`eve@${other.name}`]);
  expect(recipients).toMatchObject([
    { outcome: "unknown", destination: "external", mailHosts: [], reason: null },
  ]);
});

test("an address covered only by a catch-all is external unless the domain's MX points here", async () => {
  const caught = await aDomain(ctx.companyId, { name: "caught.test" });
  await anInboundAddress(caught, "*@caught.test");
  const { recipients } = await check(["eli@caught.test"]);
  expect(recipients).toMatchObject([{ outcome: "deliver", destination: "external" }]);
  const finding = { domainId: caught.id, record: "mx" as const, isVerified: true };
  await db()
    .insert(domainFindings)
    .values({ ...finding, checkedAt: new Date().toISOString() });
  expect((await check(["eli@caught.test"])).recipients).toMatchObject([
    { outcome: "deliver", destination: "inbound" },
  ]);
});

test("names why the email would not be accepted", async () => {
  const from = `a@${other.name}`;
  const { findings, authentication } = await check(["ben@there.test"], {
    from,
    fromAddress: { name: "", address: from },
  });
  expect(findings[0]).toMatchObject({
    level: "error",
    code: "not_accepted",
    message: expect.stringContaining("isn't one of your verified domains") as string,
  });
  expect(authentication).toBeNull();
});

test("describes authentication by the domain's records, and the content", async () => {
  const checked = await check(["ben@there.test"], {
    html: `<p>Hello</p><a href="http://shop.example">Shop</a>`,
    text: null,
  });
  expect(checked).toMatchObject({
    authentication: { domain: domain.name, dmarc: null },
    links: [{ url: "http://shop.example", text: "Shop" }],
    text: expect.stringContaining("Hello") as string,
    spam: null,
  });
  expect(checked.findings.map(({ code }) => code)).toEqual(
    expect.arrayContaining(["dmarc_missing", "http_link"]),
  );
  expect(checked.size).toBeGreaterThan(300);
});
