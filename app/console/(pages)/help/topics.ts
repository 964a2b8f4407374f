/** What the console explains of itself. */
export const topics = {
  "first-email": {
    title: "Send your first email",
    about: "A request with curl, Node, Python or PHP",
    words: "api resend sdk quickstart code",
  },
  "dns-records": {
    title: "DNS records",
    about: "What SPF, DKIM, DMARC and MX are for",
    words: "verify domain spf dkim dmarc mx txt",
  },
  reports: {
    title: "Who sends as you",
    about: "DMARC and TLS reports, and a stricter policy",
    words: "dmarc tls rua phishing spoofing quarantine reject policy",
  },
  webhooks: {
    title: "Webhooks and their signatures",
    about: "Hear of deliveries, and know that it is us",
    words: "events signing secret svix verify",
  },
  bounces: {
    title: "Bounces and suppressions",
    about: "What becomes of mail that nobody takes",
    words: "complaint undelivered blocked reputation",
  },
  mailboxes: {
    title: "Mailboxes of your people",
    about: "Make, hand over, suspend and delete them",
    words: "user account password alias quota size welcome sheet suspend leave offboarding",
  },
  moving: {
    title: "Move here from another provider",
    about: "People, mail that is there, and the day of the change",
    words: "migrate migration import imap google workspace microsoft 365 exchange switch mx",
  },
  "mail-apps": {
    title: "Connect a mail app",
    about: "IMAP, POP3, SMTP and app passwords",
    words: "outlook thunderbird apple mail phone settings server port",
  },
  groups: {
    title: "Groups and moderation",
    about: "One address for many people",
    words: "list members post moderator",
  },
  units: {
    title: "Units and their policies",
    about: "Departments, and what holds in each",
    words: "organisational unit department policy inherit override imap pop3",
  },
  spam: {
    title: "Spam and quarantine",
    about: "What is held back, and how to let it go",
    words: "junk virus greylisting release",
  },
  roles: {
    title: "Roles and units",
    about: "Who may do what, and where",
    words: "privileges admin team owner permission",
  },
  "sign-in": {
    title: "Signing in and second factors",
    about: "App, passkeys, sessions, and what to do when something is lost",
    words: "2fa totp authenticator passkey recovery password session locked out phone",
  },
  audit: {
    title: "The audit log",
    about: "Who changed what, and how to take it along",
    words: "history changes export csv compliance",
  },
  limits: {
    title: "Limits and errors",
    about: "How much, how fast, and what a refusal says",
    words: "rate quota 429 idempotency status code",
  },
  tracing: {
    title: "Where a message is",
    about: "The mail log, the queue, and mail that is held",
    words: "trace delivery log queue hold delayed lost missing arrive",
  },
  backup: {
    title: "Back up and restore",
    about: "One folder and one database",
    words: "disaster restore copy",
  },
  upgrade: {
    title: "Upgrade",
    about: "To a newer version, and back",
    words: "update version release",
  },
} as const satisfies Record<string, { title: string; about: string; words: string }>;

export type Topic = keyof typeof topics;

/** Only for those who run the machine: others find nothing to do in them. */
export const OPERATORS_TOPICS: readonly Topic[] = ["tracing", "backup", "upgrade"];

/** How the list of all topics is divided. */
export const TOPIC_GROUPS: { name: string; topics: readonly Topic[] }[] = [
  { name: "Send", topics: ["first-email", "webhooks", "bounces", "limits"] },
  { name: "Mail", topics: ["mailboxes", "moving", "mail-apps", "groups", "units", "spam"] },
  { name: "Manage", topics: ["dns-records", "reports", "roles", "sign-in", "audit"] },
  { name: "Operate", topics: OPERATORS_TOPICS },
];

export const hrefOfTopic = (topic: Topic): string => `/console/help/${topic}`;

export const isTopic = (name: string): name is Topic => Object.hasOwn(topics, name);
