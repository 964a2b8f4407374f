import { hash } from "@node-rs/argon2";
import type { Page } from "@playwright/test";

import {
  appPasswords,
  forwardConfirmations,
  forwardSuspensions,
  type mailboxes,
  mailboxUsage,
} from "#drizzle/schema/index.ts";
import { createAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { ensureRootUnit, setPolicies } from "#server/core/mailboxes/org-units/units.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { startAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";

export const PASSWORD = "correct horse battery";

/** Answers the dialog before a change that lets others read the mail. */
export async function verifyIdentity(page: Page, verb: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Verify it’s you" });
  await dialog.getByRole("textbox", { name: "Your password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: verb }).click();
}

const BROWSERS = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0",
];

/** A mailbox and a session of its user. */
export async function aMailboxUser(overrides: Partial<typeof mailboxes.$inferInsert> = {}) {
  const company = await aCompany({ name: "Northwind Trading" });
  const domain = await aDomain(company.id, { name: `nw${company.id.slice(-6)}.example` });
  const mailbox = await aMailbox(domain, {
    address: `ann.lee@${domain.name}`,
    name: "Ann Lee",
    passwordHash: await hash(PASSWORD, { memoryCost: 1024, timeCost: 1 }),
    ...overrides,
  });
  const { address, store } = mailbox;
  const cookie = await startAccountSession(db(), address, {
    clientAddress: "192.0.2.7",
    userAgent: BROWSERS[1]!,
  });
  return { ctx: aContext(company.id), domain, address, store, cookie };
}

/** A request of two hours ago to confirm forwarding, so that it can be sent again. Returns its id. */
export async function aForwardRequest(mailbox: string, target: string): Promise<string> {
  const requestedAt = new Date(Date.now() - 2 * 3_600_000).toISOString();
  const [row] = await db()
    .insert(forwardConfirmations)
    .values({ mailbox, target, written: target, isFromScript: false, requestedAt })
    .returning();
  return row!.id;
}

/** Spam and a virus in the mailbox's quarantine, which its user may review. Returns the spam's id. */
export async function seedQuarantine({
  ctx,
  address,
}: Awaited<ReturnType<typeof aMailboxUser>>): Promise<string> {
  const root = await ensureRootUnit(ctx);
  await setPolicies(ctx, root, { quarantineDigest: "daily", quarantineRelease: "spam" });
  const message = {
    companyId: ctx.companyId,
    recipients: [address],
    clientAddress: "198.51.100.7",
    findings: [],
    content: Buffer.from("Subject: Offer\r\n\r\nOffer\r\n"),
  };
  await quarantineMessage(db(), {
    ...message,
    reason: "virus",
    sender: "billing@supplier.example.org",
    score: 8.1,
    headerFrom: "Supplier Billing",
    subject: "Overdue invoice 4471",
  });
  const { id } = await quarantineMessage(db(), {
    ...message,
    reason: "spam",
    sender: "news@offers.example.net",
    score: 12.4,
    headerFrom: "Best Offers <news@offers.example.net>",
    subject: "Your weekly offers",
  });
  return id;
}

/** Creates data for each of the mailbox user's pages. */
export async function seedAccount(user: Awaited<ReturnType<typeof aMailboxUser>>) {
  const { ctx, domain, address } = user;
  await seedQuarantine(user);
  await db().insert(mailboxUsage).values({ address, usedBytes: 118_000_000, messages: 3_412 });
  await anAlias(domain, address, `ann@${domain.name}`);
  for (const name of ["Thunderbird on my laptop", "iPhone"])
    await createAppPassword(ctx, address, name);
  await db()
    .update(appPasswords)
    .set({
      lastUsedAt: new Date(Date.now() - 600_000).toISOString(),
      lastUsedFor: "imap",
      lastUsedFrom: "198.51.100.23",
    });
  await startAccountSession(db(), address, {
    clientAddress: "198.51.100.23",
    userAgent: BROWSERS[0]!,
  });
  await saveRules(ctx, address, {
    forwardTo: ["ann@home.example", "team-archive@northwind.example"],
    vacation: {
      isOn: true,
      subject: "Away until January 5",
      text: "Thank you for your message. I’ll be back on January 5.\n\nUntil then Ben can help you: ben@northwind.example.",
      startsOn: "2026-12-24",
      endsOn: "2027-01-04",
      timeZone: "Europe/Berlin",
    },
    filters: [
      {
        name: "Invoices",
        isOn: true,
        match: "any",
        conditions: [
          { field: "subject", test: "contains", value: "invoice" },
          { field: "from", test: "contains", value: "billing@" },
        ],
        action: { kind: "file", folder: "Invoices/2026" },
      },
      {
        name: "Team lead",
        isOn: true,
        match: "all",
        conditions: [{ field: "from", test: "is", value: "carla@northwind.example" }],
        action: { kind: "flag" },
      },
      {
        name: "Old newsletter",
        isOn: false,
        match: "all",
        conditions: [{ field: "from", test: "contains", value: "news@shop.example" }],
        action: { kind: "discard" },
      },
    ],
  });
  await db().insert(forwardSuspensions).values({
    mailbox: address,
    target: "team-archive@northwind.example",
    dsn: "5.2.2",
    reply: "552 5.2.2 The mailbox is full",
    suspendedAt: new Date().toISOString(),
  });
}
