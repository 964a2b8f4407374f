import { domainFindings } from "#drizzle/schema/index.ts";
import { saveRules } from "#server/core/mailbox-rules/save-rules.ts";
import { changeSetting } from "#server/core/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aGroup,
  aMailbox,
  anApiKey,
  aWebhook,
} from "#server/testing/factories.ts";
import { publishRecords } from "#server/testing/publish-records.ts";

import { OUTSIDE_DOMAIN, type Outside } from "./outside.ts";

export const PASSWORD = "test password";

/** Senders and recipients of the load. All are addresses, apart from the key. */
export type Company = {
  apiKey: string;
  domain: string;
  ann: string;
  bob: string;
  /** Forwards and keeps a copy. */
  keeper: string;
  /** Forwards only. */
  mover: string;
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
  const names = ["ann", "bob", "keeper", "mover"] as const;
  for (const name of names) await aMailbox(domain, { address: at(name), quotaMb: 4096 });
  const ctx = aContext(id);
  await saveRules(ctx, at("keeper"), { forwardTo: [outsider], keepCopy: true });
  await saveRules(ctx, at("mover"), { forwardTo: [outsider], keepCopy: false });
  await aGroup(domain, { address: at("group"), members: [at("ann"), outsider] });
  await aWebhook(id, { endpoint });
  const { token } = await anApiKey(id);
  // The guard would take the load for abuse from a new network. rspamd is not under test.
  await changeSetting(db(), "guard_new_recipients", "0");
  await changeSetting(db(), "hourly_recipients_mailbox", "1000000");
  await changeSetting(db(), "rspamd_url", "off");
  return {
    apiKey: token,
    domain: domain.name,
    ...{ ann: at("ann"), bob: at("bob"), keeper: at("keeper"), mover: at("mover") },
    ...{ group: at("group"), outsider },
  };
}
