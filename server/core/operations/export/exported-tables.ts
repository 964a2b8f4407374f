/** A table whose rows are exported as one NDJSON file, in its columns' names. */
export type ExportedTable = {
  /** Without `.ndjson`; by default the table's name with dashes. */
  file?: string;
  /** For the README of the export. */
  about: string;
  /** Secrets, and columns that mean nothing elsewhere. */
  omit?: string[];
  /** The table that has the company, joined as `p`, and how. By default the table itself has it. */
  parent?: [table: string, on: string];
  /** Fetched at a time; fewer for large rows. */
  batch?: number;
};

const BATCH = 500;
const LARGE = 10;

/** What a company's export contains, by table, in the order of its README. */
export const EXPORTED: Record<string, ExportedTable> = {
  companies: { file: "company", about: "the company and its limits" },
  admins: { about: "admins and their privileges" },
  roles: { about: "roles and their privileges" },
  admin_roles: { about: "which admin has which role", parent: ["roles", "p.id = t.role_id"] },
  invitations: {
    about: "open invitations of admins",
    omit: ["token_hash", "copied_token_hash"],
  },
  notification_settings: {
    about: "how admins get notices, without the URLs that notices are posted to",
    omit: ["sealed_url"],
  },
  identity_providers: {
    about: "the identity provider for single sign-on, without its client secret",
    omit: ["sealed_client_secret"],
  },
  admin_identities: {
    about: "which account at the identity provider belongs to which admin",
    parent: ["identity_providers", "p.id = t.provider_id"],
  },
  api_keys: { about: "API keys, without their secrets", omit: ["secret_hash"] },
  webhooks: { about: "webhooks, without signing secrets", omit: ["sealed_secret"] },
  domains: { about: "domains; their DNS records are in dns/" },
  dkim_keys: {
    about: "DKIM keys: selectors and public keys",
    omit: ["sealed_private_key"],
    parent: ["domains", "p.id = t.domain_id"],
  },
  org_units: { file: "units", about: "organizational units and their policies" },
  addresses: { about: "all addresses, with inbound addresses and catch-alls" },
  mailboxes: {
    about: "mailboxes, without passwords and second factors",
    omit: ["password_hash", "totp_secret", "totp_last_step", "store", "store_host"],
  },
  aliases: { about: "aliases", parent: ["mailboxes", "p.address = t.mailbox"] },
  mailbox_identities: {
    about: "which account at the identity provider belongs to which mailbox",
    parent: ["mailboxes", "p.address = t.mailbox"],
  },
  app_passwords: {
    about: "names, scopes and last use of app passwords, without the passwords",
    omit: ["secret_hash"],
    parent: ["mailboxes", "p.address = t.mailbox"],
  },
  mailbox_rules: {
    about: "forwarding, automatic replies and filters; also as Sieve in sieve/",
    omit: ["script_id"],
    parent: ["mailboxes", "p.address = t.mailbox"],
  },
  forward_confirmations: {
    about: "whether addresses outside the company confirmed that mail is forwarded to them",
    parent: ["mailboxes", "p.address = t.mailbox"],
  },
  forward_suspensions: {
    about: "forwarding addresses that are suspended because they failed",
    parent: ["mailboxes", "p.address = t.mailbox"],
  },
  mailbox_shares: {
    about: "mailbox shares",
    parent: ["mailboxes", "p.address = t.mailbox"],
  },
  groups: { about: "groups" },
  group_members: {
    about: "members of groups",
    parent: ["groups", "p.address = t.group_address"],
  },
  group_units: {
    about: "units whose mailboxes are members of groups",
    parent: ["groups", "p.address = t.group_address"],
  },
  templates: { about: "templates; their content is in template-versions.ndjson" },
  template_versions: { about: "the versions of templates", batch: LARGE },
  suppressions: { about: "the suppression list" },
  emails: { about: "emails sent through the API, SMTP and the console" },
  email_bodies: {
    about: "content of emails, as long as it is kept",
    parent: ["emails", "p.id = t.email_id"],
    batch: LARGE,
  },
  email_attachments: {
    about: "attachments of emails, in base64, as long as they are kept",
    parent: ["emails", "p.id = t.email_id"],
    batch: 1,
  },
  email_events: {
    about: "the history of emails: deliveries, bounces, opens, clicks",
    parent: ["emails", "p.id = t.email_id"],
  },
  received_emails: {
    about: "emails that inbound addresses received; their content is in received/",
  },
  messages: {
    about:
      "messages sent from mailboxes, forwarded or posted to groups; content still stored is in messages/",
  },
  message_recipients: {
    about: "recipients of these messages, with their outcomes",
    omit: ["lease_until", "lease_owner"],
    parent: ["messages", "p.id = t.message_id"],
  },
  quarantine: { about: "messages in quarantine; their content is in quarantine/" },
  dmarc_reports: { about: "DMARC reports that others sent about your domains" },
  dmarc_sources: {
    about: "the rows of DMARC reports",
    parent: ["dmarc_reports", "p.id = t.report_id"],
  },
  tls_reports: { about: "TLS reports that others sent about your domains" },
  audit_entries: { file: "audit-log", about: "the audit log", omit: ["seal"] },
  request_log: { about: "API requests, without their bodies" },
};

/** Tables with messages, exported as one `.eml` file each. */
export const EXPORTED_MESSAGES = {
  received: {
    about: "messages that inbound addresses received, by the ID in received-emails.ndjson",
    table: "received_contents",
    key: "email_id",
    parent: "received_emails",
  },
  messages: {
    about: "messages from mailboxes that are queued, on hold, or were sent in the last few days",
    table: "message_contents",
    key: "message_id",
    parent: "messages",
  },
  quarantine: {
    about: "messages in quarantine, by the ID in quarantine.ndjson",
    table: "quarantine_contents",
    key: "quarantine_id",
    parent: "quarantine",
  },
} as const;

/** Tables with rows of companies that are deliberately not exported, with the reason. */
export const LEFT_OUT: Record<string, string> = {
  // Secrets.
  sessions: "sign-in sessions",
  mailbox_sessions: "sign-in sessions",
  mailbox_passkeys: "second factors",
  mailbox_recovery_codes: "second factors",
  sign_in_steps: "sign-ins and password links in progress",
  deleted_items: "deleted items, which contain passwords; restore them first to export them",
  // State of this server.
  audit_seals: "the range of sealed audit entries",
  company_traffic: "current API traffic",
  domain_claims: "reservations of domain names on this server",
  domain_findings: "results of DNS checks",
  failing_members: "notices about failing group members",
  full_mailboxes: "notices about full mailboxes",
  idempotency_keys: "idempotency keys of the last day",
  large_bodies: "requests in progress",
  mail_import_batches: "progress of imports",
  mail_import_errors: "progress of imports",
  mail_import_folders: "progress of imports",
  mail_imports: "imports into this server",
  mailbox_import_lines: "imports into this server",
  mailbox_imports: "imports into this server",
  mailbox_contacts: "data used to detect stolen passwords",
  mailbox_moves: "moves between mail hosts",
  message_delays: "failed attempts; message-recipients.ndjson has the last one",
  notice_posts: "notices waiting to be posted",
  outbox: "deliveries in progress",
  quarantine_digests: "when digests were sent",
  request_bodies: "masked bodies of the last day's API requests",
  received_attachments: "attachments of received emails are in received/",
  webhook_attempts: "attempts to deliver webhook events",
  webhook_events: "webhook events; email-events.ndjson has what they report",
  // The operator's.
  mail_log: "the operator's log of SMTP sessions",
};

export const fileOf = (table: string): string =>
  `${EXPORTED[table]!.file ?? table.replaceAll("_", "-")}.ndjson`;

export const batchOf = (table: string): number => EXPORTED[table]!.batch ?? BATCH;
