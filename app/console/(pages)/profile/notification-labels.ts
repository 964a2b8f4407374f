import type { NotificationKind } from "./notification-queries.ts";

export const KIND_LABELS: Record<NotificationKind, { label: string; help: string }> = {
  domain: {
    label: "Domains",
    help: "DNS records that went missing, ownership, and new DKIM keys.",
  },
  webhook: { label: "Webhooks", help: "Webhooks that keep failing or were disabled." },
  on_hold: {
    label: "Mail on hold",
    help: "Mailboxes whose outgoing mail was put on hold, because they may be compromised.",
  },
  quota: { label: "Storage", help: "Mailboxes that are full or nearly full." },
  group: { label: "Groups", help: "Group members that messages can’t be delivered to." },
  certificate: { label: "Certificates", help: "Certificates that expire or can’t be renewed." },
  backup: { label: "Backups", help: "Backups that failed or are overdue." },
  server: { label: "Other alarms", help: "Delivery, disk space, processes, DNS, and the ledger." },
  summary: { label: "Daily summary", help: "What changed since the day before, by email only." },
};

export const FORMAT_LABELS = {
  slack: "Slack, Mattermost or Rocket.Chat",
  json: "JSON",
} as const;
