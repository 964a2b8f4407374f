import { afterEach } from "vitest";

import { db } from "#server/db/pool.ts";
import { createLogger } from "#server/processes/logger.ts";
import {
  startSubmissionListener,
  type SubmissionListener,
  type SubmissionOptions,
} from "#mail/submission/submission-listener.ts";

import { aCompany, aDomain, aGroup, aMailbox, anAlias, anApiKey } from "./factories.ts";
import { CERTIFICATE, PRIVATE_KEY } from "./self-signed.ts";

export const SUBMISSION_HOSTNAME = "mail.here.test";

/** Submission listeners on free loopback ports, with STARTTLS, each closed after its test. */
export function submissionListeners(): (
  options?: Partial<SubmissionOptions>,
) => Promise<SubmissionListener> {
  const started: SubmissionListener[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((listener) => listener.stop()));
  });
  return async (options = {}) => {
    const listener = await startSubmissionListener({
      db: db(),
      log: createLogger("submission"),
      hostname: SUBMISSION_HOSTNAME,
      certificate: { certificate: CERTIFICATE, key: PRIVATE_KEY },
      bind: "127.0.0.1",
      port: 0,
      isImplicitTls: false,
      ...options,
    });
    started.push(listener);
    return listener;
  };
}

/** The initial response of AUTH PLAIN (RFC 4616). */
export const plain = (user: string, password = "test password") =>
  Buffer.from(`\0${user}\0${password}`).toString("base64");

/** Ann, whose company has Bob, an alias, two groups and an API key; and a mailbox of another company. */
export async function aMailboxSender(overrides: Parameters<typeof aCompany>[0] = {}) {
  const { id: companyId } = await aCompany(overrides);
  const domain = await aDomain(companyId);
  const mailbox = await aMailbox(domain, { address: `ann@${domain.name}` });
  const colleague = await aMailbox(domain, { address: `bob@${domain.name}` });
  const members = [mailbox.address];
  const group = await aGroup(domain, { membersSendAs: true, members });
  const closedGroup = await aGroup(domain, { members });
  const foreignDomain = await aDomain((await aCompany()).id);
  return {
    companyId,
    domain,
    address: mailbox.address,
    colleague: colleague.address,
    alias: await anAlias(domain, mailbox.address, `alias@${domain.name}`),
    colleaguesAlias: await anAlias(domain, colleague.address, `bobby@${domain.name}`),
    group: group.address,
    closedGroup: closedGroup.address,
    foreign: (await aMailbox(foreignDomain)).address,
    key: (await anApiKey(companyId, { permission: "sending_access" })).token,
  };
}
