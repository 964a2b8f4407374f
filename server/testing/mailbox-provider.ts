import { randomUUID } from "node:crypto";

import { expect } from "vitest";

import type { mailboxes } from "#drizzle/schema/index.ts";
import { sessionsAccount } from "#server/resources/account/sessions.ts";
import { singleSignOnConsole } from "#server/resources/single-sign-on.ts";

import type { TestProvider } from "./an-identity-provider.ts";
import { call } from "./call.ts";
import { aContext, aMailbox } from "./factories.ts";
import { aConnectedCompany, cookies, newAddress, own } from "./single-sign-on.ts";

export const browser = (cookie = "") => ({
  ...own,
  "x-forwarded-for": newAddress(),
  ...(cookie && { cookie }),
});
export const start = (body: object) =>
  call(sessionsAccount.startProviderSignIn, { body, headers: browser() });
export const finish = (step: string, body: object) =>
  call(sessionsAccount.providerSignIn, { body, headers: browser(step) });

/** Goes to the provider and comes back as the user. */
export async function goThrough(
  provider: TestProvider,
  address: string,
  user: Record<string, unknown>,
) {
  provider.user = user;
  const started = await start({ email: address });
  expect(started.status).toBe(200);
  const { url } = started.body as { url: string };
  return { step: cookies(started)[0]!, response: provider.authorize(url) };
}

export async function signInWith(
  provider: TestProvider,
  address: string,
  user: Record<string, unknown>,
) {
  const { step, response } = await goThrough(provider, address, user);
  const answered = await finish(step, response);
  return { answered, cookie: cookies(answered)[0] ?? "" };
}

/** A mailbox at a company whose mailbox users can sign in with the provider. */
export async function aMailboxUser(
  provider: TestProvider,
  overrides: Partial<typeof mailboxes.$inferInsert> = {},
) {
  const connected = await aConnectedCompany(provider);
  const { cookie: owner, domain } = connected;
  const change = (body: object) => call(singleSignOnConsole.update, { cookie: owner, body });
  expect(await change({ allowsMailboxes: true })).toMatchObject({ status: 200 });
  const { address } = await aMailbox(domain, overrides);
  const user = { sub: randomUUID(), email: address, email_verified: true };
  const ctx = aContext(connected.company.id);
  return { ...connected, ctx, change, ownerCookie: owner, address, user };
}
