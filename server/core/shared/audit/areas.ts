/** Filters of the audit log. Each lists the nouns that its actions begin with. */
export const AUDIT_AREAS = {
  domains: ["domain"],
  mailboxes: ["mailbox", "alias", "app_password", "mailbox_rules", "mail_import", "unit"],
  groups: ["group", "inbound_address", "inbound"],
  keys: ["api_key"],
  webhooks: ["webhook"],
  sending: ["email", "suppression", "suppressions", "template"],
  held: ["quarantine"],
  team: ["admin", "role", "invitation"],
  sign_in: ["session", "sign_in", "second_factor"],
  company: ["company", "person", "plan", "queue", "setting", "operator"],
} as const;

export type AuditArea = keyof typeof AUDIT_AREAS;

export const AUDIT_AREA_NAMES = Object.keys(AUDIT_AREAS) as [AuditArea, ...AuditArea[]];
