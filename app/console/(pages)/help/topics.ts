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
  limits: {
    title: "Limits and errors",
    about: "How much, how fast, and what a refusal says",
    words: "rate quota 429 idempotency status code",
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
export const OPERATORS_TOPICS: readonly Topic[] = ["backup", "upgrade"];

export const hrefOfTopic = (topic: Topic): string => `/console/help/${topic}`;

export const isTopic = (name: string): name is Topic => Object.hasOwn(topics, name);
