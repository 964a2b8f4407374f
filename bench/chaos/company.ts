import { domainFindings, mailboxRules } from "#drizzle/schema/index.ts";
import { refreshRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import {
  aCompany,
  aContext,
  aDomain,
  allowForwarding,
  aGroup,
  aMailbox,
  anApiKey,
  aWebhook,
} from "#server/testing/factories.ts";
import { publishRecords } from "#server/testing/publish-records.ts";

import { OUTSIDE_DOMAIN, type Outside } from "./outside.ts";

/** A mailbox forwards 500 messages an hour at most; the rest stays in it. */
const FORWARDING_MAILBOXES = 20;

export const PASSWORD = "test password";

/** Senders and recipients of the load. All are addresses, apart from the key. */
export type Company = {
  apiKey: string;
  domain: string;
  ann: string;
  bob: string;
  /** Forward and keep a copy. */
  copyForwarders: string[];
  /** Forward only. */
  forwarders: string[];
  group: string;
  outsider: string;
};

/** Creates the company that the load runs in, with its DNS records and its webhook. */
export async function createCompany({ dns, endpoint }: Outside): Promise<Company> {
  const { id } = await aCompany();
  const checkedAt = new Date().toISOString();
  const domain = await aDomain(id, { name: "chaos.example", checkedAt });
  await publishRecords(dns, domain);
  await db()
    .insert(domainFindings)
    .values({ domainId: domain.id, record: "mx", isVerified: true, checkedAt });
  const at = (name: string) => `${name}@${domain.name}`;
  const outsider = `outsider@${OUTSIDE_DOMAIN}`;
  const numbered = (name: string) =>
    Array.from({ length: FORWARDING_MAILBOXES }, (_, number) => at(`${name}-${number}`));
  const company = {
    domain: domain.name,
    ann: at("ann"),
    bob: at("bob"),
    group: at("group"),
    outsider,
    copyForwarders: numbered("keeper"),
    forwarders: numbered("mover"),
  };
  for (const address of listMailboxes(company)) await aMailbox(domain, { address, quotaMb: 4096 });
  await allowForwarding(id);
  // Inserted directly, so that no notices are sent to the mailbox users.
  for (const mailbox of [...company.copyForwarders, ...company.forwarders]) {
    const keepCopy = company.copyForwarders.includes(mailbox);
    await db()
      .insert(mailboxRules)
      .values({ mailbox, scriptId: "", forwardTo: [outsider], keepCopy });
    await refreshRules(aContext(id), mailbox);
  }
  await aGroup(domain, { address: company.group, members: [company.ann, outsider] });
  await aWebhook(id, { endpoint });
  const { token } = await anApiKey(id);
  // The guard would treat the load as abuse from a new network. rspamd is not under test.
  await changeSetting(db(), "guard_new_recipients", "0");
  await changeSetting(db(), "hourly_recipients_mailbox", "1000000");
  await changeSetting(db(), "rspamd_url", "off");
  return { ...company, apiKey: token };
}

export const listMailboxes = ({
  ann,
  bob,
  copyForwarders,
  forwarders,
}: Omit<Company, "apiKey">) => [ann, bob, ...copyForwarders, ...forwarders];
