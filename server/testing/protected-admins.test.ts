import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { emailBodies, emails, invitations, mailboxShares, people } from "#drizzle/schema/index.ts";
import { apiKeysConsole } from "#server/resources/api-keys.ts";
import { mailboxAccessConsole } from "#server/resources/mailboxes/access.ts";
import { mailboxesApi } from "#server/resources/mailboxes/api.ts";
import { mailboxesConsole } from "#server/resources/mailboxes/console.ts";
import { invitationsConsole } from "#server/resources/invitations.ts";
import { passwordResetConsole } from "#server/resources/password-reset.ts";
import { sessionsConsole } from "#server/resources/sessions.ts";
import { teamConsole } from "#server/resources/team.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { sendResetLink } from "#server/core/mail/notices/operator-notice.ts";
import { PRIVILEGES } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";

import { sendWaitingNotices } from "./a-team.ts";
import { call } from "./call.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anAdmin,
  anAlias,
  anApiKey,
} from "./factories.ts";
import { anOwnDovecot } from "./groups.ts";
import {
  companyId,
  domain,
  helpdesk,
  owner,
  prepareCompany,
  at,
  unique,
  ceo,
  aCaller,
  anOwnerAt,
  aMailboxOf,
  atConsole,
  byKey,
  shareOf,
  forward,
  refused,
} from "./protected-company.ts";

// Whose addresses are protected from whom, and what happens if their mail is shared nevertheless.

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(prepareCompany);

describe("protection", () => {
  const RESETS = () => byKey(mailboxesApi.resetPassword, { email: ceo() });
  const SHARES = () => shareOf(ceo());

  test.each([
    ["an operator", { isOperator: true }, 403],
    ["a suspended owner", { isOwner: true, disabledAt: "2026-03-04T10:15:00Z" }, 403],
    ["an admin with fewer privileges", { privileges: ["view_users"] }, 200],
  ] as const)("of the address of %s", async (_, admin, status) => {
    const { disabledAt = null, ...more } = { ...admin } as Parameters<typeof anAdmin>[1] & object;
    await anAdmin(companyId, { email: ceo(), ...more, disabledAt });
    await aMailboxOf();
    for (const ask of [RESETS(), SHARES()]) expect((await ask(helpdesk)).status).toBe(status);
  });

  test("of operators and other companies' admins: from owners, not from operators", async () => {
    const elsewhere = await aCompany();
    for (const more of [{}, { isOperator: true }, { isOwner: true }]) {
      const localPart = `x${unique()}`;
      const email = at(localPart);
      await aMailboxOf(localPart);
      await anAdmin(companyId, { email });
      await anAdmin(elsewhere.id, { email, ...more });
      for (const ask of [byKey(mailboxesApi.resetPassword, { email }), shareOf(email)])
        expect(await ask(owner)).toMatchObject(refused);
      const operator = await aCaller({ isOwner: true, isOperator: true });
      expect((await shareOf(email)(operator)).status).toBe(200);
    }
  });

  test("doesn't let other companies lock a company's owners out of a mailbox", async () => {
    const elsewhere = (await aCompany()).id;
    const theirs = await aDomain(elsewhere);
    const [invited, joined, member, target] = ["a", "b", "c", "d"].map(at) as [
      ...[string, string, string, string],
    ];
    for (const localPart of ["a", "b", "c", "d"]) await aMailboxOf(localPart);
    await anAdmin(elsewhere, { email: joined, isOwner: true, emailProvenAt: null });
    const { cookie } = await aCaller({ isOwner: true }, { company: elsewhere });
    await call(invitationsConsole.invite, { cookie, body: { email: invited, isOwner: true } });
    const { address: group } = await aGroup(theirs, { members: [member] });
    const { address: forwarding } = await aMailbox(theirs);
    await forward(forwarding, target);
    for (const email of [group, forwarding]) await anAdmin(elsewhere, { email, isOwner: true });
    for (const email of [invited, joined, member, target]) {
      expect((await byKey(mailboxesApi.resetPassword, { email })(owner)).status).toBe(200);
      const isForOwners = email === invited || email === joined;
      expect((await byKey(mailboxesApi.resetPassword, { email })(helpdesk)).status).toBe(
        isForOwners ? 403 : 200,
      );
    }
  });

  test("of an admin of several companies: not from an owner of all of them, but from an owner of one", async () => {
    const elsewhere = (await aCompany()).id;
    const email = `${unique()}@example.com`;
    const both = await aCaller({ isOwner: true, email });
    await anAdmin(elsewhere, { email, isOwner: true });
    await anAdmin(companyId, { email: ceo(), isOwner: true });
    await anAdmin(elsewhere, { email: ceo(), isOwner: true });
    await aMailboxOf();
    expect(await SHARES()(owner)).toMatchObject(refused);
    expect((await SHARES()(both)).status).toBe(200);
  });

  test("of operators: from operators' API keys, which any owner of the company can widen", async () => {
    const operator = await anAdmin(companyId, { email: ceo(), isOwner: true, isOperator: true });
    await aMailboxOf();
    const permission = "sending_access";
    const { id, token } = await anApiKey(companyId, { creatorId: operator.id, permission });
    const body = { permission: "full_access" };
    const { cookie } = owner;
    expect((await call(apiKeysConsole.update, { cookie, params: { id }, body })).status).toBe(200);
    expect(await RESETS()({ key: token, cookie: "" })).toMatchObject(refused);
  });

  test("never from the admin whose address it is", async () => {
    await aMailboxOf("bob");
    expect((await shareOf(at("helpdesk"), at("bob"))(helpdesk)).status).toBe(200);
    expect(
      (await byKey(mailboxesApi.resetPassword, { email: at("helpdesk") })(helpdesk)).status,
    ).toBe(200);
  });

  test("applies to demoted admins and their API keys", async () => {
    await anOwnerAt();
    await aMailboxOf();
    const { id } = await anAdmin(companyId, { isOwner: true });
    const { token: key } = await anApiKey(companyId, { creatorId: id });
    expect((await RESETS()({ key, cookie: "" })).status).toBe(200);
    await db().execute(`update admins set is_owner = false,
      privileges = '{reset_user_passwords,api_controls}' where id = '${id}'`);
    expect(await RESETS()({ key, cookie: "" })).toMatchObject(refused);
  });

  test("applies to an operator signed in by the company's identity provider, outside that company", async () => {
    const elsewhere = (await aCompany()).id;
    await anAdmin(elsewhere, { email: ceo() });
    await aMailboxOf();
    const { id, email } = await anAdmin(companyId, { isOwner: true, isOperator: true });
    await anAdmin(elsewhere, { email, isOwner: true });
    const actor = { kind: "admin", adminId: id, email } as const;
    const ask = (isConfined: boolean) =>
      requireMayOpen({ ...aContext(companyId), actor: { ...actor, isConfined } }, [ceo()]);
    await ask(false);
    await expect(ask(true)).rejects.toMatchObject({ reason: "invalid_permission" });
  });

  test("isn't given by an expired invitation", async () => {
    const body = { email: ceo(), isOwner: true };
    await call(invitationsConsole.invite, { cookie: owner.cookie, body });
    await aMailboxOf();
    expect(await RESETS()(helpdesk)).toMatchObject(refused);
    await db()
      .update(invitations)
      .set({ expiresAt: "2026-01-01T00:00:00Z" })
      .where(eq(invitations.email, ceo()));
    expect((await RESETS()(helpdesk)).status).toBe(200);
  });
});

describe("an emailed reset", () => {
  const headers = () => ({ "x-forwarded-for": "203.0.113.9", "sec-fetch-site": "same-origin" });
  const PASSWORD = "staple thunder lantern";

  async function mailTo(email: string) {
    const rows = await db()
      .select({ subject: emails.subject, to: emails.to, text: emailBodies.text })
      .from(emails)
      .innerJoin(emailBodies, eq(emailBodies.emailId, emails.id));
    return rows.filter(({ to }) => to.some((each) => each.includes(email)));
  }

  test("can't be read by a help desk: the share is rejected", async () => {
    await anOwnerAt();
    await aMailboxOf();
    expect(await shareOf(ceo())(helpdesk)).toMatchObject(refused);
    expect(await db().$count(mailboxShares, eq(mailboxShares.mailbox, ceo()))).toBe(0);
  });

  test("is announced to owners when someone whose mail others can read is invited or becomes an owner", async () => {
    await aMailboxOf();
    await aMailboxOf("bob");
    await db()
      .insert(mailboxShares)
      .values({ mailbox: ceo(), member: at("bob"), access: "read", sendAs: false });
    const { email: other } = await anAdmin(companyId, { isOwner: true });
    await call(invitationsConsole.invite, {
      cookie: owner.cookie,
      body: { email: ceo(), isOwner: true },
    });
    await sendWaitingNotices(companyId);
    expect((await mailTo(other)).map(({ text }) => text)).toEqual([
      expect.stringMatching(/was invited to Northwind.*read at bob@/s),
    ]);
    const { id } = await anAdmin(companyId, { email: at("bob") });
    const body = { isOwner: true };
    await call(teamConsole.update, { cookie: owner.cookie, params: { id }, body });
    await sendWaitingNotices(companyId);
    expect(await mailTo(other)).toHaveLength(1);
    const { id: cfo } = await anAdmin(companyId, { email: ceo() });
    await call(teamConsole.update, { cookie: owner.cookie, params: { id: cfo }, body });
    await sendWaitingNotices(companyId);
    expect((await mailTo(other)).at(-1)!.text).toMatch(/became an owner.*read at bob@/s);
  });

  test.each([
    [
      "was forwarded by an admin",
      async () => {
        await aMailboxOf();
        const forwarding = { forwardTo: [at("helpdesk")], keepCopy: true };
        return atConsole(mailboxAccessConsole.saveRules, { email: ceo() }, { forwarding });
      },
      () => `changed the forwarding of ${ceo()}`,
    ],
    [
      "became another mailbox's",
      () => atConsole(mailboxesConsole.rename, { email: at("helpdesk") }, { address: ceo() }),
      () => `changed the address of ${at("helpdesk")} to ${ceo()}`,
    ],
  ] as const)("notifies the other owners after the address %s", async (_, change, text) => {
    await anOwnerAt();
    const { email: other } = await anAdmin(companyId, { isOwner: true });
    const ask = await change();
    expect((await ask(owner)).status).toBe(200);
    await sendResetLink(db(), ceo());
    await sendWaitingNotices(companyId);
    expect((await mailTo(other)).map((mail) => mail.text)).toEqual([
      expect.stringContaining(text()),
    ]);
  });

  test("isn't announced after the mailbox user changed their own forwarding, or an admin the replies", async () => {
    await anOwnerAt("boss");
    await aMailboxOf();
    await anAlias(domain, ceo(), at("boss"));
    const { email: other } = await anAdmin(companyId, { isOwner: true });
    const user = { ...aContext(companyId), actor: { kind: "mailbox", address: ceo() } as const };
    await saveRules(user, ceo(), { forwardTo: [at("helpdesk")] });
    const vacation = { isOn: false, subject: "", text: "", startsOn: null, endsOn: null };
    const body = { vacation: { ...vacation, timeZone: "Europe/Berlin" } };
    const ask = atConsole(mailboxAccessConsole.saveRules, { email: ceo() }, body);
    expect((await ask(owner)).status).toBe(200);
    await sendResetLink(db(), at("boss"));
    await sendWaitingNotices(companyId);
    const texts = (await mailTo(other)).map((mail) => mail.text);
    expect(texts.join()).not.toContain("the forwarding of");
  });

  test("notifies the other owners after someone else was given access to the mailbox", async () => {
    await anOwnerAt();
    await aMailboxOf();
    const { email: other } = await anAdmin(companyId, { isOwner: true });
    const { email: junior } = await anAdmin(companyId, { privileges: [...PRIVILEGES] });
    await sendResetLink(db(), ceo());
    await sendWaitingNotices(companyId);
    expect(await mailTo(other)).toEqual([]);

    expect((await shareOf(ceo())(owner)).status).toBe(200);
    const asked = await call(passwordResetConsole.requestReset, {
      body: { email: ceo() },
      headers: headers(),
    });
    expect(asked.status).toBe(200);
    await sendResetLink(db(), ceo());
    await sendWaitingNotices(companyId);
    const [notice] = await mailTo(other);
    expect(notice!.text).toContain(ceo());
    expect(notice!.text).toContain(at("helpdesk"));
    expect(await mailTo(junior)).toEqual([]);
    const resets = await mailTo(ceo());
    expect(resets.map(({ subject }) => subject)).toEqual(
      Array.from(resets, () => "Reset your password"),
    );

    const token = /#([\w-]{43})/.exec(resets.at(-1)!.text!)![1]!;
    const body = { token, password: PASSWORD };
    expect(
      (await call(passwordResetConsole.resetOwnPassword, { body, headers: headers() })).status,
    ).toBe(200);
    const signedIn = await call(sessionsConsole.signIn, {
      body: { email: ceo(), password: PASSWORD },
      headers: headers(),
    });
    const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
    expect((await call(sessionsConsole.getMe, { cookie })).body).toMatchObject({ email: ceo() });
    expect(await db().$count(people, eq(people.email, ceo()))).toBe(1);
  });
});
