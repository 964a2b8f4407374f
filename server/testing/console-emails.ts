import { authenticateKey } from "#server/core/access/api-keys/authenticate-key.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { sendEmail } from "#server/core/sending/emails/send-emails.ts";
import { db } from "#server/db/pool.ts";

import { aSession } from "./console-webhooks.ts";
import { aCompany, aContext, aDomain, anApiKey } from "./factories.ts";

/** A company that sends, with a key, and an admin who can view its emails. */
export async function aSendingCompany(overrides: Parameters<typeof aCompany>[0] = {}) {
  const { id: companyId } = await aCompany(overrides);
  const domain = await aDomain(companyId);
  const { id: keyId, token } = await anApiKey(companyId);
  return { companyId, domain, keyId, token, cookie: await aSession(companyId) };
}

export type SendingCompany = Awaited<ReturnType<typeof aSendingCompany>>;

const named = (address: string, name = "") => ({ name, address });

/** Sends an email with the company's key; returns its id. */
export async function send(
  { companyId, domain, token }: SendingCompany,
  overrides: Partial<EmailInput> = {},
): Promise<string> {
  const key = await authenticateKey(db(), { token, address: "127.0.0.1" });
  const { id } = await sendEmail(aContext(companyId), key, {
    from: `Hello <hello@${domain.name}>`,
    fromAddress: named(`hello@${domain.name}`, "Hello"),
    to: [named("ben@example.net", "Ben, Bo")],
    cc: [named("carla@example.net")],
    bcc: [],
    replyTo: [],
    subject: "Receipt",
    html: "<p>Hello</p>",
    text: null,
    headers: { "X-Order": "7" },
    tags: [{ name: "kind", value: "receipt" }],
    scheduledAt: null,
    attachments: [],
    ...overrides,
  });
  return id;
}
