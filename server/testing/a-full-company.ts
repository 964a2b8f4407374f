import { v7 as uuidv7 } from "uuid";

import {
  invitations,
  mailboxImportLines,
  mailboxImports,
  quarantine,
  quarantineContents,
  receivedAttachments,
  receivedContents,
  receivedEmails,
  requestLog,
} from "#drizzle/schema/index.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { startImports } from "#server/core/mailboxes/imports/imports.ts";
import { deleteGroup as removeGroup } from "#server/core/mailboxes/groups/groups.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";

import { aPasskeyOf } from "./a-second-factor.ts";
import { aSendingCompany, send } from "./console-emails.ts";
import { anEventOf } from "./console-webhooks.ts";
import {
  aContext,
  aGroup,
  aMailbox,
  anAdmin,
  anAlias,
  aSuppression,
  aTemplate,
  anInboundAddress,
  aWebhook,
} from "./factories.ts";
import { aRole } from "./team.ts";

/** A company with one of every object that has a page, all named with `mark`. */
export async function aFullCompany(mark: string) {
  const company = await aSendingCompany({ name: mark });
  const { companyId, domain } = company;
  const owner = await anAdmin(companyId, { isOwner: true, name: mark });
  const admin = await anAdmin(companyId, { name: mark });
  const webhook = await aWebhook(companyId, { endpoint: `https://${mark}.example/` });
  const event = await anEventOf(webhook, { status: "failed" });
  const mailbox = await aMailbox(domain, { name: mark });
  const group = await aGroup(domain, { name: mark, members: [mailbox.address] });
  const gone = await aGroup(domain, { name: mark });
  const unit = await createUnit(aContext(companyId), { parentId: null, name: mark });
  const role = await aRole(companyId, { name: mark });
  await aSuppression(companyId, { email: `${mark}@example.org` });
  const cookie = (await startSession(db(), owner.id)).split(";")[0]!;
  return {
    companyId,
    cookie,
    owner,
    ids: {
      domains: domain.id,
      apiKeys: company.keyId,
      webhooks: webhook.id,
      team: admin.id,
      templates: (await aTemplate(companyId, { name: mark })).id,
      units: String(unit),
      roles: role.id,
      companies: companyId,
      emails: await send(company, { subject: mark }),
      secondFactors: await aPasskeyOf(owner.email, mark),
      logs: await aRequest(companyId),
      received: await aReceivedEmail(companyId, mark),
      quarantine: await aQuarantinedMessage(companyId, mark),
      mailImports: await anImportInto(companyId, mailbox.address),
      mailboxImports: await anImportOfMailboxes(companyId, owner),
      deletedItems: (await removeGroup(aContext(companyId), gone.address)).deletedId,
      invitations: await anInvitation(companyId, mark),
    },
    event: event.shownId,
    mailbox: mailbox.address,
    group: group.address,
    alias: await anAlias(domain, mailbox.address),
    inbound: await anInboundAddress(domain),
  };
}

async function anImportInto(companyId: string, mailbox: string): Promise<string> {
  const server = { host: "imap.example.net", port: 993, security: "tls" } as const;
  const [id] = await startImports(
    aContext(companyId),
    effectivePrivileges({ isOwner: true, privileges: [], roles: [] }),
    {
      ...server,
      secretKind: "password",
      keepsSecret: true,
      accounts: [{ account: "ann", secret: "very secret", mailbox }],
    },
  );
  return id!;
}

async function anImportOfMailboxes(
  companyId: string,
  { id: adminId, email: startedBy }: { id: string; email: string },
): Promise<string> {
  const [row] = await db()
    .insert(mailboxImports)
    .values({ companyId, adminId, startedBy, isConfined: false, state: "stopped" })
    .returning();
  const importId = row!.id;
  const line = { address: `imported@${startedBy}`, name: startedBy, aliases: [] };
  await db()
    .insert(mailboxImportLines)
    .values({ importId, position: 0, number: 1, state: "waiting", ...line });
  return importId;
}

async function aRequest(companyId: string): Promise<string> {
  const call = { method: "GET", endpoint: "/emails", responseStatus: 200 };
  const [row] = await db()
    .insert(requestLog)
    .values({ companyId, ...call })
    .returning();
  return row!.id;
}

async function aQuarantinedMessage(companyId: string, subject: string): Promise<string> {
  const held = { reason: "spam", sender: "a@example.net", size: 1 } as const;
  const [row] = await db()
    .insert(quarantine)
    .values({ companyId, ...held, recipients: [], subject })
    .returning();
  const content = Buffer.from("Subject: Hello\r\n\r\nHello\r\n");
  await db().insert(quarantineContents).values({ quarantineId: row!.id, content });
  return row!.id;
}

async function aReceivedEmail(companyId: string, subject: string): Promise<string> {
  const parsedAt = new Date().toISOString();
  const [row] = await db()
    .insert(receivedEmails)
    .values({
      id: uuidv7(),
      companyId,
      sender: "a@example.net",
      receivedFor: [],
      size: 1,
      subject,
      parsedAt,
    })
    .returning();
  const content = Buffer.from("Subject: Hello\r\n\r\nHello\r\n");
  await db().insert(receivedContents).values({ emailId: row!.id, content });
  await db()
    .insert(receivedAttachments)
    .values({ emailId: row!.id, position: 0, contentType: "a/b", isInline: false, content });
  return row!.id;
}

async function anInvitation(companyId: string, name: string): Promise<string> {
  const [row] = await db()
    .insert(invitations)
    .values({
      companyId,
      name,
      email: `${name}@example.net`,
      invitedBy: "ann@example.com",
      tokenHash: `${name} mailed`,
      copiedTokenHash: `${name} copied`,
      expiresAt: "2099-01-01T00:00:00Z",
    })
    .returning();
  return row!.id;
}
