/** `words` are extra search terms. */
export const topics = {
  "first-email": {
    title: "Send your first email",
    about: "Examples for curl, Node.js, Python, and PHP",
    words: "api resend sdk quickstart code",
  },
  templates: {
    title: "Templates",
    about: "Write an email once, and send it with different values",
    words: "variables placeholders reuse content version publish",
  },
  "dns-records": {
    title: "DNS records",
    about: "What SPF, DKIM, DMARC, and MX records do",
    words: "verify domain spf dkim dmarc mx txt",
  },
  reports: {
    title: "DMARC and TLS reports",
    about: "See who sends from your domain, and tighten your policy",
    words: "dmarc tls rua phishing spoofing quarantine reject policy",
  },
  webhooks: {
    title: "Webhooks",
    about: "Receive events and verify their signatures",
    words: "events signing secret svix verify",
  },
  receiving: {
    title: "Receive email with the API",
    about: "Inbound addresses, replies, and what your programs receive",
    words: "inbound incoming parse catch-all reply webhook received",
  },
  bounces: {
    title: "Bounces and suppressions",
    about: "Handle emails that can’t be delivered",
    words: "complaint undelivered blocked reputation",
  },
  mailboxes: {
    title: "Mailboxes",
    about: "Create, hand over, suspend, and delete mailboxes",
    words: "user account password alias quota size welcome sheet suspend leave offboarding",
  },
  moving: {
    title: "Migrate from another provider",
    about: "Move mailbox users and their existing mail",
    words: "migrate migration import imap google workspace microsoft 365 exchange switch mx",
  },
  "mail-apps": {
    title: "Connect a mail app",
    about: "IMAP, POP3, SMTP, and app passwords",
    words: "outlook thunderbird apple mail phone settings server port",
  },
  groups: {
    title: "Groups and moderation",
    about: "One address for several people",
    words: "list members post moderator",
  },
  units: {
    title: "Units and policies",
    about: "Policies and admins for each department",
    words: "organizational unit department policy inherit override imap pop3",
  },
  spam: {
    title: "Spam and quarantine",
    about: "How incoming mail is filtered, and how to release it",
    words: "junk virus greylisting release",
  },
  roles: {
    title: "Roles and privileges",
    about: "Control what admins can do",
    words: "privileges admin team owner permission",
  },
  "sign-in": {
    title: "Sign-in and second factors",
    about: "Authenticator apps, passkeys, sessions, and lost access",
    words: "2fa totp authenticator passkey recovery password session locked out phone",
  },
  audit: {
    title: "Audit log",
    about: "See who changed what, and export it",
    words: "history changes export csv compliance",
  },
  limits: {
    title: "Limits and errors",
    about: "Rate limits, quotas, and error responses",
    words: "rate quota 429 idempotency status code",
  },
  tracing: {
    title: "Trace a message",
    about: "The mail log, the queue, and mail on hold",
    words: "trace delivery log queue hold delayed lost missing arrive",
  },
  backup: {
    title: "Back up and restore",
    about: "Back up the database and all mail, and restore them",
    words: "disaster restore recovery key copy",
  },
  upgrade: {
    title: "Upgrade Posthouse",
    about: "Install a newer version, or go back to an older one",
    words: "update version release",
  },
} as const satisfies Record<string, { title: string; about: string; words: string }>;

export type Topic = keyof typeof topics;

/** Shown to operators only. */
export const OPERATOR_TOPICS: readonly Topic[] = ["tracing", "backup", "upgrade"];

export const TOPIC_GROUPS: { name: string; topics: readonly Topic[] }[] = [
  {
    name: "Send",
    topics: ["first-email", "templates", "webhooks", "receiving", "bounces", "limits"],
  },
  { name: "Mail", topics: ["mailboxes", "moving", "mail-apps", "groups", "units", "spam"] },
  { name: "Manage", topics: ["dns-records", "reports", "roles", "sign-in", "audit"] },
  { name: "Operate", topics: OPERATOR_TOPICS },
];

export const topicUrl = (topic: Topic): string => `/console/help/${topic}`;

export const isTopic = (name: string): name is Topic => Object.hasOwn(topics, name);
