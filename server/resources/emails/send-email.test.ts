import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { emailBodies, emails, outbox } from "#drizzle/schema/index.ts";
import { addressField } from "#server/core/sending/compose/compose-message.ts";
import { db } from "#server/db/pool.ts";
import { anApiSender, emailsOf, historyOf } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aDomain, aSuppression } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";

const queueOf = (emailId: string) =>
  db()
    .select({ recipient: outbox.recipient, destination: outbox.destination })
    .from(outbox)
    .where(eq(outbox.emailId, emailId))
    .orderBy(outbox.id);

describe("POST /emails", () => {
  test("returns 200 with only the id, after committing everything", async () => {
    const { companyId, key, keyId, domain, email } = await anApiSender();

    const { status, body } = await call(emailsApi.send, {
      key,
      body: {
        ...email,
        to: ["Bob <bob@example.org>", "carl@example.org"],
        cc: "dora@example.net",
        bcc: ["eve@example.net"],
        reply_to: "Answers <answers@example.org>",
        html: "<p>Hi</p>",
        headers: { "X-Order": "7" },
        tags: [{ name: "kind", value: "greeting" }],
      },
    });

    expect(status).toBe(200);
    const { id } = body as { id: string };
    expect(body).toEqual({ id });
    const [stored] = await db().select().from(emails).where(eq(emails.id, id));
    expect(stored).toMatchObject({
      companyId,
      domainId: domain.id,
      apiKeyId: keyId,
      messageId: `<${id}@${domain.name}>`,
      from: email.from,
      to: ["bob@example.org", "carl@example.org"],
      cc: ["dora@example.net"],
      bcc: ["eve@example.net"],
      replyTo: ["answers@example.org"],
      subject: "Hello",
      tags: [{ name: "kind", value: "greeting" }],
      lastEvent: "sent",
      scheduledAt: null,
    });
    const [parts] = await db().select().from(emailBodies).where(eq(emailBodies.emailId, id));
    expect(parts).toMatchObject({
      html: "<p>Hi</p>",
      text: "Hi",
      headers: { "X-Order": "7" },
      addressHeaders: {
        from: { name: "Ann", address: `ann@${domain.name}` },
        to: [
          { name: "Bob", address: "bob@example.org" },
          { name: "", address: "carl@example.org" },
        ],
        cc: [{ name: "", address: "dora@example.net" }],
        replyTo: [{ name: "Answers", address: "answers@example.org" }],
      },
    });
    expect(JSON.stringify(parts)).not.toContain("eve@");
    expect(await historyOf(id)).toEqual([{ type: "sent", recipient: null, reason: null }]);
    const [row] = await db().select().from(outbox).where(eq(outbox.emailId, id));
    expect(row).toMatchObject({ companyId });
    expect(await queueOf(id)).toEqual([
      { recipient: "bob@example.org", destination: "example.org" },
      { recipient: "carl@example.org", destination: "example.org" },
      { recipient: "dora@example.net", destination: "example.net" },
      { recipient: "eve@example.net", destination: "example.net" },
    ]);
  });

  test("shows and sends addresses as written, and compares them in lower case", async () => {
    const { companyId, key, domain, email } = await anApiSender();
    await aSuppression(companyId, { email: "reply+abc@example.org", origin: "manual" });
    const from = `Ann <Reply+AbC123@${domain.name}>`;
    const replyTo = "Answers+XyZ@example.org";

    const { body } = await call(emailsApi.send, {
      key,
      body: {
        ...email,
        from,
        reply_to: `A <${replyTo}>`,
        cc: ["C+D@x.test", "Reply+AbC@example.org"],
      },
    });

    const { id } = body as { id: string };
    const { body: read } = await call(emailsApi.get, { key, params: { id } });
    expect(read).toMatchObject({
      from,
      reply_to: [replyTo],
      cc: ["c+d@x.test", "reply+abc@example.org"],
    });
    const [parts] = await db().select().from(emailBodies).where(eq(emailBodies.emailId, id));
    const { addressHeaders } = parts!;
    expect(addressHeaders.from.written).toBe(`Reply+AbC123@${domain.name}`);
    expect(addressField("From", [addressHeaders.from])).toBe(`From: ${from}\r\n`);
    expect(addressHeaders.replyTo).toMatchObject([{ written: replyTo }]);
    expect(addressHeaders.cc).toMatchObject([{ written: "C+D@x.test" }, {}]);
    expect((await queueOf(id)).map(({ recipient }) => recipient)).not.toContain(
      "reply+abc@example.org",
    );
  });

  test.each(["A..b@x.test", ".a@x.test", "a.@x.test", '"a,b"@x.test'])(
    "sends to %s, which other servers allow",
    async (written) => {
      const { key, domain } = await anApiSender();
      const from = `hi@${domain.name}`;
      const body = { from, to: `Ann <${written}>`, reply_to: written, subject: "Hi", text: "Hi" };
      const { id } = (await call(emailsApi.send, { key, body })).body as { id: string };
      const [row] = await db().select().from(outbox).where(eq(outbox.emailId, id));
      const address = written.toLowerCase();
      expect(row).toMatchObject({ recipient: address, destination: "x.test" });
      const [email] = await db().select().from(emails).where(eq(emails.id, id));
      expect(email).toMatchObject({ to: [address], replyTo: [written] });
    },
  );

  test("queues one copy for an address that appears in several fields", async () => {
    const { key, email } = await anApiSender();

    const { body } = await call(emailsApi.send, {
      key,
      body: { ...email, to: ["bob@example.org", "BOB@example.org"], cc: "Bob <bob@example.org>" },
    });

    expect(await queueOf((body as { id: string }).id)).toHaveLength(1);
  });

  test("skips suppressed recipients, each with an event, before the email is sent", async () => {
    const { companyId, key, email } = await anApiSender();
    await aSuppression(companyId, { email: "bob@example.org", origin: "bounce" });
    await aSuppression((await aCompany()).id, { email: "carl@example.org" });

    const { status, body } = await call(emailsApi.send, {
      key,
      body: { ...email, to: ["Bob@Example.org", "carl@example.org"] },
    });

    expect(status).toBe(200);
    const { id } = body as { id: string };
    expect(await historyOf(id)).toEqual([
      {
        type: "suppressed",
        recipient: "bob@example.org",
        reason: expect.stringContaining("bounced") as string,
      },
      { type: "sent", recipient: null, reason: null },
    ]);
    expect(await queueOf(id)).toMatchObject([{ recipient: "carl@example.org" }]);
    const [stored] = await db().select().from(emails).where(eq(emails.id, id));
    expect(stored).toMatchObject({
      lastEvent: "sent",
      to: ["bob@example.org", "carl@example.org"],
    });
  });

  test("ends as suppressed, still with 200, when no recipient remains", async () => {
    const { companyId, key, email } = await anApiSender();
    await aSuppression(companyId, { email: "bob@example.org", origin: "complaint" });
    await aSuppression(companyId, { email: "carl@example.org", origin: "manual" });

    const { status, body } = await call(emailsApi.send, {
      key,
      body: { ...email, cc: "carl@example.org" },
    });

    expect(status).toBe(200);
    const { id } = body as { id: string };
    expect(await historyOf(id)).toMatchObject([
      { type: "suppressed", recipient: "bob@example.org" },
      { type: "suppressed", recipient: "carl@example.org" },
    ]);
    expect(await queueOf(id)).toEqual([]);
    const [stored] = await db().select().from(emails).where(eq(emails.id, id));
    expect(stored).toMatchObject({ lastEvent: "suppressed", messageId: null, sentAt: null });
  });

  test("sends from an internationalized domain, in Unicode or Punycode", async () => {
    const { key, email } = await anApiSender({}, { name: `xn--bcher-kva.${Date.now()}.example` });
    const domain = email.from.slice(9, -1);

    for (const name of [domain, domain.replace("xn--bcher-kva", "Bücher")])
      expect(
        await call(emailsApi.send, { key, body: { ...email, from: `ann@${name}` } }),
      ).toMatchObject({ status: 200 });
  });

  test("accepts a sending key whose creator has no privileges", async () => {
    const { companyId, email } = await anApiSender();
    const { token } = await anApiKey(companyId, { permission: "sending_access", privileges: [] });

    expect(await call(emailsApi.send, { key: token, body: email })).toMatchObject({ status: 200 });
  });

  test("accepts a domain-restricted key for its domain", async () => {
    const { companyId, domain, email } = await anApiSender();
    const { token } = await anApiKey(companyId, {
      permission: "sending_access",
      domainId: domain.id,
    });

    expect(await call(emailsApi.send, { key: token, body: email })).toMatchObject({ status: 200 });
  });
});

describe("POST /emails rejects, and stores nothing:", () => {
  async function expectRefused(
    {
      companyId,
      key,
      email,
    }: Pick<Awaited<ReturnType<typeof anApiSender>>, "companyId" | "key" | "email">,
    [status, name]: [number, string],
  ) {
    const before = await emailsOf(companyId);
    const answer = await call(emailsApi.send, { key, body: email });
    expect(answer).toMatchObject({ status, body: { statusCode: status, name } });
    expect(await emailsOf(companyId)).toBe(before);
  }

  test("a from address in an unknown domain", async () => {
    const sender = await anApiSender();
    await expectRefused({ ...sender, email: { ...sender.email, from: "ann@elsewhere.example" } }, [
      403,
      "invalid_from_address",
    ]);
  });

  test("a from address of another company's domain", async () => {
    const [sender, other] = [await anApiSender(), await anApiSender()];
    await expectRefused({ ...sender, email: other.email }, [403, "invalid_from_address"]);
  });

  test("a subdomain of a company domain", async () => {
    const sender = await anApiSender();
    await expectRefused(
      { ...sender, email: { ...sender.email, from: `ann@mail.${sender.domain.name}` } },
      [403, "invalid_from_address"],
    );
  });

  test.each(["not_started", "pending"] as const)(
    "a domain without verified ownership (%s)",
    async (status) => {
      const sender = await anApiSender({}, { status, ownershipProvenAt: null });
      await expectRefused(sender, [403, "invalid_from_address"]);
    },
  );

  test.each(["pending", "partially_verified"] as const)(
    "a domain whose records were not found (%s)",
    async (status) => {
      await expectRefused(await anApiSender({}, { status }), [403, "domain_not_verified"]);
    },
  );

  test("a key restricted to another domain, whether or not that one can send", async () => {
    const sender = await anApiSender();
    const other = await aDomain(sender.companyId);
    const pending = await aDomain(sender.companyId, { status: "pending" });
    const { token: key } = await anApiKey(sender.companyId, {
      permission: "sending_access",
      domainId: other.id,
    });
    await expectRefused({ ...sender, key }, [403, "invalid_from_address"]);
    await expectRefused(
      { ...sender, key, email: { ...sender.email, from: `ann@${pending.name}` } },
      [403, "invalid_from_address"],
    );
  });

  test("a company without an active subscription", async () => {
    await expectRefused(await anApiSender({ subscriptionActive: false }), [
      403,
      "account_inactive",
    ]);
  });

  test("an email that the database rejects leaves nothing behind", async () => {
    const sender = await anApiSender();
    await db().execute(sql`
      create function refuse_row() returns trigger language plpgsql as
      $$ begin raise 'out of space'; end $$`);
    await db().execute(sql`
      create trigger refuse_row before insert on outbox
      for each row when (new.recipient = 'unlucky@example.org') execute function refuse_row()`);

    await expectRefused({ ...sender, email: { ...sender.email, to: "unlucky@example.org" } }, [
      500,
      "application_error",
    ]);
  });
});
