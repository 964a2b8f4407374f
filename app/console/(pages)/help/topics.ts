export const topics = {
  "first-email": {
    title: "Send your first email",
    about: "Examples for curl, Node.js, Python, and PHP",
  },
  templates: {
    title: "Templates",
    about: "Write an email once, and send it with different values",
  },
  "dns-records": {
    title: "DNS records",
    about: "What SPF, DKIM, DMARC, and MX records do",
  },
  reports: {
    title: "DMARC and TLS reports",
    about: "See who sends from your domain, and tighten your policy",
  },
  webhooks: {
    title: "Webhooks",
    about: "Receive events and verify their signatures",
  },
  receiving: {
    title: "Receive email with the API",
    about: "Inbound addresses, catch-alls, replies, and what your programs receive",
  },
  bounces: {
    title: "Bounces and suppressions",
    about: "Handle emails that can’t be delivered",
  },
  mailboxes: {
    title: "Mailboxes",
    about:
      "Create, hand over, change, suspend, and delete mailboxes; forwarding and automatic replies",
  },
  moving: {
    title: "Migrate from another provider",
    about: "Move mailbox users and their existing mail",
  },
  "mail-apps": {
    title: "Connect a mail app",
    about: "IMAP, POP3, SMTP, and app passwords",
  },
  groups: {
    title: "Groups and moderation",
    about: "One address for several people",
  },
  units: {
    title: "Units and policies",
    about: "Policies and admins for each department",
  },
  spam: {
    title: "Spam and quarantine",
    about: "How incoming mail is filtered, and how to release it",
  },
  roles: {
    title: "Roles and privileges",
    about: "Control what admins can do",
  },
  "sign-in": {
    title: "Sign-in and second factors",
    about: "Authenticator apps, passkeys, sessions, and lost access",
  },
  audit: {
    title: "Audit log",
    about: "See who changed what, and export it",
  },
  limits: {
    title: "Limits and errors",
    about: "Rate limits, quotas, and error responses",
  },
  tracing: {
    title: "Trace a message",
    about: "Find out where a message is: the mail log, and where an address goes",
  },
  backup: {
    title: "Back up and restore",
    about: "Back up the database and all mail, and restore them",
  },
  upgrade: {
    title: "Upgrade Posthouse",
    about: "Install a newer version, or go back to an older one",
  },
} as const satisfies Record<string, { title: string; about: string }>;

export type Topic = keyof typeof topics;

/** Shown to operators only. */
export const OPERATOR_TOPICS: readonly Topic[] = ["backup", "upgrade"];

export const TOPIC_GROUPS: { name: string; topics: readonly Topic[] }[] = [
  {
    name: "Send",
    topics: ["first-email", "templates", "webhooks", "receiving", "bounces", "limits"],
  },
  {
    name: "Mail",
    topics: ["mailboxes", "moving", "mail-apps", "groups", "units", "spam", "tracing"],
  },
  { name: "Manage", topics: ["dns-records", "reports", "roles", "sign-in", "audit"] },
  { name: "Operate", topics: OPERATOR_TOPICS },
];

export const topicUrl = (topic: Topic): string => `/console/help/${topic}`;

export const isTopic = (name: string): name is Topic => Object.hasOwn(topics, name);
