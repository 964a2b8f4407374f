import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";

import * as schema from "#drizzle/schema/index.ts";

const CORE = import.meta.dirname;

/** The context that owns each table. Only it writes the table, except for FOREIGN_WRITERS. */
const OWNED = {
  shared: "audit_entries audit_seals deleted_items instance",
  platform:
    "acme_accounts acme_challenges certificates company_traffic large_bodies metric_totals processes " +
    "settings",
  webhooks: "webhook_attempts webhook_events webhooks",
  sending:
    "delivery_blocks destination_limits dkim_keys email_attachments email_bodies email_events emails idempotency_keys " +
    "message_contents message_recipients messages mta_sts_policies outbox sending_seconds sending_totals suppressions " +
    "template_versions templates tls_session_counts warm_ups",
  access:
    "admin_identities admin_roles admins api_keys companies identity_providers invitations mailbox_sessions passkeys people recovery_codes " +
    "mailbox_identities mailbox_passkeys mailbox_recovery_codes request_bodies request_log roles sessions sign_in_attempts sign_in_networks sign_in_steps",
  mailboxes:
    "addresses aliases app_passwords forward_confirmations forward_suspensions group_members group_units groups mail_hosts mail_import_batches " +
    "mail_import_errors mail_import_folders mail_imports mailbox_import_lines mailbox_imports mailbox_rules mailbox_moves mailbox_shares mailbox_sign_ins mailbox_usage mailboxes org_units removed_stores",
  domains: "domain_claims domain_findings domains",
  mail:
    "dmarc_counts dmarc_reports dmarc_sources failing_members full_mailboxes greylist mail_log mailbox_contacts " +
    "message_delays notice_posts notification_settings quarantine quarantine_contents quarantine_digests " +
    "received_attachments received_contents received_emails tls_reports",
  operations:
    "alarm_messages alarms backups plans preferences queue_holds system_checks watch_rounds",
};

/** Files that write another context's table, each with its tables and the reason. */
const FOREIGN_WRITERS: [file: string, tables: string, reason: string][] = [
  ["sending/events/email-events.ts", "webhook_events", "one statement with the history"],
  ["sending/test-mode/test-mode.ts", "webhook_events", "one transaction for all that waits"],
  ["access/sign-in/steps.ts", "mailboxes", "a promotion ends temporary passwords"],
  ["mailboxes/mail-hosts/mail-hosts.ts", "deleted_items", "named like mailboxes"],
  ["mailboxes/org-units/units.ts", "roles", "roles limited to the unit go with it"],
  ["mailboxes/sign-in/mailbox-sign-in.ts", "sign_in_attempts", "counts Dovecot's sign-ins"],
  ["mailboxes/mailboxes/mailboxes.ts", "sign_in_networks", "a new mailbox knows no network"],
  ["mailboxes/mailboxes/mailbox-removal.ts", "sign_in_networks", "deleted with the mailbox"],
  [
    "mailboxes/mailboxes/rename-mailbox.ts",
    "deleted_items messages quarantine quarantine_digests sign_in_networks",
    "name the mailbox without a foreign key",
  ],
  ["mailboxes/mailboxes/mailbox-sessions.ts", "mailbox_sessions", "a new password ends them"],
  ["domains/domains/deleted-domains.ts", "addresses api_keys", "deleted and restored with it"],
  ["domains/own-domain/own-domain.ts", "companies", "creates the appliance's own company"],
  [
    "mail/feedback/bounces.ts",
    "email_events emails message_recipients suppressions",
    "one statement per bounce",
  ],
  ["mail/feedback/record-complaint.ts", "emails suppressions", "one statement per complaint"],
  ["mail/replies/record-reply.ts", "email_events emails", "a reply in the history"],
  ["mail/outcomes/record-message-outcomes.ts", "message_recipients", "one statement per batch"],
  ["mail/outcomes/record-message-outcomes.ts", "forward_suspensions", "follows from outcomes"],
  ["mail/guard/guard.ts", "mailboxes sign_in_networks", "puts a mailbox on hold, and ends it"],
  ["mail/notices/trouble-reports.ts", "webhooks", "marks what was reported"],
  ["operations/companies/create-company.ts", "admins companies people", "creates the first owner"],
  ["operations/companies/operators.ts", "people", "makes an admin an operator"],
  ["operations/companies/set-up.ts", "people", "the first operator"],
  [
    "operations/erasure/internal/erased-rows.ts",
    "deleted_items email_attachments email_bodies email_events emails failing_members forward_confirmations " +
      "forward_suspensions greylist group_members invitations mail_log mailbox_contacts mailbox_import_lines message_contents message_delays " +
      "message_recipients messages quarantine received_emails request_bodies request_log sign_in_attempts suppressions " +
      "webhook_events",
    "erases a person",
  ],
  [
    "operations/companies/companies.ts",
    "companies mailbox_sessions sessions",
    "operators only; suspending a company signs everyone out",
  ],
  ["operations/plans/plans.ts", "companies", "a plan's limits reach its companies"],
  ["operations/sandbox/sandbox.ts", "addresses domains mailboxes people", "the sandbox"],
];

/** Tables of other contexts that a context's statements read. `operations` reads all of them. */
const READ_ELSEWHERE: Record<string, string> = {
  // Whether the instance key opens the stored secrets, and the lock of a company.
  shared: "companies",
  // The domains whose hosts need certificates.
  platform: "domain_findings domains",
  // The accept statement checks key, domain and company in one round trip; the history includes the sender.
  sending: "admins api_keys companies domain_findings domains message_delays processes webhooks",
  // The objects that a key or an admin refers to, and the mailbox of a person.
  access: "addresses aliases audit_entries domains emails mailboxes org_units",
  // The company's limits and domains, the caller's roles, whose sign-in address an address is, what is kept of deleted mailboxes and groups, and to whom a link to set a password
  // was sent.
  mailboxes:
    "admin_roles audit_entries companies deleted_items domains failing_members identity_providers invitations mailbox_contacts mailbox_identities mailbox_passkeys mailbox_recovery_codes messages people roles " +
    "sign_in_networks sign_in_steps",
  // The objects that still use a domain, or are kept with a deleted one.
  domains:
    "aliases companies deleted_items dkim_keys emails failing_members group_members group_units groups mailbox_shares mailboxes",
  // A message's sender and recipients, the admins to notify, and who was given access to an admin's mail.
  mail:
    "addresses admins aliases app_passwords audit_entries companies domain_findings domains emails group_members group_units groups " +
    "mailbox_usage mailboxes message_recipients messages org_units outbox people webhook_events webhooks",
};

const TABLES = Object.entries(schema).flatMap(([variable, value]) =>
  is(value, PgTable) ? [{ variable, name: getTableName(value) }] : [],
);
const OWNER = new Map(
  Object.entries(OWNED).flatMap(([context, names]) => words(names).map((name) => [name, context])),
);

type Use = { file: string; context: string; table: string; writes: boolean };

const uses: Use[] = readdirSync(CORE, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .flatMap((file) => {
    const text = readFileSync(join(CORE, file), "utf8");
    return TABLES.flatMap(({ variable, name }) => {
      const writes = written(variable, name).test(text);
      if (!writes && !read(variable, name).test(text)) return [];
      return [{ file, context: file.split("/")[0]!, table: name, writes }];
    });
  });

test("names one owner for each table", () => {
  expect(TABLES.map(({ name }) => name).toSorted()).toEqual([...OWNER.keys()].toSorted());
});

test("each table is written in its own context only, except for the listed files", () => {
  const found = uses
    .filter(({ writes, table, context }) => writes && OWNER.get(table) !== context)
    .map(({ file, table }) => `${file} ${table}`);
  const listed = FOREIGN_WRITERS.flatMap(([file, tables]) =>
    words(tables).map((table) => `${file} ${table}`),
  );
  expect(found.toSorted()).toEqual(listed.toSorted());
});

test("other contexts' tables are read only where that is listed", () => {
  const found = uses
    .filter(({ writes, table, context }) => !writes && OWNER.get(table) !== context)
    .filter(({ context }) => context !== "operations")
    .map(({ context, table }) => `${context} ${table}`);
  const listed = Object.entries(READ_ELSEWHERE).flatMap(([context, tables]) =>
    words(tables).map((table) => `${context} ${table}`),
  );
  expect([...new Set(found)].toSorted()).toEqual(listed.toSorted());
});

function words(text: string): string[] {
  return text.split(" ");
}

/** An insert, update or delete, by the query builder or in SQL. */
function written(variable: string, name: string): RegExp {
  return new RegExp(
    `\\.(insert|update|delete)\\(\\s*${variable}\\s*\\)|\\bdeleteInBatches\\(\\s*db,\\s*${variable}\\b|\\b(insert into|update|delete from)\\s+("?${name}\\b|\\$\\{${variable}\\})`,
  );
}

/** An import of the table, or its name after from or join in SQL. */
function read(variable: string, name: string): RegExp {
  return new RegExp(
    `import[^;]*\\b${variable}\\b[^;]*from "#drizzle/schema|\\b(from|join)\\s+"?${name}\\b`,
  );
}
