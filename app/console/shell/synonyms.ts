/** Other words for terms of the console. They also find items whose text contains the term. */
const SYNONYMS: Record<string, string> = {
  admin: "administrators colleagues teammates",
  alias: "extra additional secondary address",
  "api key": "tokens secrets credentials",
  "api reference": "documentation docs openapi",
  "automatic replies": "vacation out of office ooo holiday absence autoresponder autoreply away",
  "back up": "backup disaster snapshot copy",
  bounces: "undelivered returned complaint reputation",
  bulk: "several many mass",
  "catch-all": "catchall wildcard",
  change: "edit modify rename",
  code: "example sdk resend curl quickstart",
  company: "organization account",
  "connect a mail app":
    "outlook thunderbird iphone android phone imap pop3 smtp server port client",
  create: "new add make",
  dark: "night theme colors appearance",
  deleted: "trash recycle bin undelete removed",
  dmarc: "phishing spoofing rua",
  "dns records": "spf dkim mx txt nameserver verify",
  domain: "websites hostname",
  email: "compose write message",
  forwarding: "forward redirect",
  group: "distribution lists mailing lists",
  hand: "welcome sheet onboarding",
  help: "guide manual documentation",
  import: "csv upload migrate migration",
  invite: "new add",
  light: "day theme colors appearance",
  limits: "quota rate 429 maximum",
  "mail filtering": "spam junk greylisting sender",
  mailbox: "users persons employees accounts inbox",
  metrics: "statistics analytics charts reports",
  migrate: "move import imap google workspace microsoft 365 exchange switch",
  name: "rename",
  notifications: "alerts notify",
  operate: "operator server",
  password: "forgot credentials",
  policies: "policy rules settings",
  posthouse: "server",
  privileges: "permissions rights access role",
  queue: "waiting delayed stuck retry",
  receive: "inbound incoming parse reply",
  receiving: "inbound incoming catch-all",
  restore: "recover undo undelete",
  "second factor": "2fa mfa totp two-factor authenticator passkey recovery code",
  "server settings": "limits quota rate alarms retention",
  settings: "preferences configuration options",
  "sign out": "log out logout leave",
  spam: "junk virus",
  storage: "size space gb full",
  suspend: "block disable deactivate lock offboarding leave",
  system: "theme colors appearance",
  template: "variables placeholders reuse",
  trace: "missing lost arrive delivery search find where",
  upgrade: "update version release",
  webhook: "events signing svix callback",
};

/** What admins call an item, by its label. It is found as if its text had these words. */
const OWN_WORDS: Record<string, string> = {
  "API keys": "token smtp credentials",
  "App passwords": "smtp imap",
  "Audit log": "history who changed",
  Backups: "restore disaster",
  "Data erasure": "gdpr privacy forget",
  Deleted: "undelete undo recover trash restore",
  Domains: "dns spf dkim dmarc mx tracking",
  Groups: "distribution mailing list moderator",
  Health: "status alarm problem",
  "IP allow-list for API keys": "whitelist allowlist restrict",
  "Import mailboxes": "csv migrate",
  "Language of mailbox users": "german translation",
  "Mail filtering": "spam junk greylisting",
  "Mail log": "trace missing arrive delivery",
  Mailboxes:
    "forwarding vacation automatic replies out of office rename alias catch-all user delegate shared",
  "Mailboxes by storage used": "quota full",
  "On hold": "held hacked compromised blocked",
  Quarantine: "spam junk virus release",
  Roles: "permissions rights",
  "Sending from mail apps": "smtp submission",
  "Single sign-on": "sso saml oidc okta entra azure google",
  "Storage limit of new mailboxes": "quota",
  Suppressions: "unsubscribed blacklist blocklist complaint",
  "Two-factor authentication of all admins": "2fa mfa totp",
  Units: "department ou organizational policy",
  "Usage and limits": "invoice billing plan rate",
  "Your password and second factor": "passkey",
  "Your sessions": "log out everywhere signed in devices",
};

type Words = { label: string; detail?: string };

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}@.+-]+/u)
    .filter(Boolean);

const startsAll = (typed: string[], words: string[]) =>
  typed.every((word) => words.some((one) => one.startsWith(word)));

/**
 * How a query matches an item: "words" if each of its words begins a word of the item, "synonyms" if some only begin
 * synonyms; null if one begins neither.
 */
export function matchItem(
  { label, detail = "" }: Words,
  query: string,
): "words" | "synonyms" | null {
  const typed = wordsOf(query);
  const shown = wordsOf(`${label} ${detail}`);
  const own = [...shown, ...wordsOf(OWN_WORDS[label] ?? "")];
  if (startsAll(typed, own)) return "words";
  const text = ` ${shown.join(" ")}`;
  const others = Object.entries(SYNONYMS).flatMap(([term, words]) =>
    text.includes(` ${term}`) ? words.split(" ") : [],
  );
  return startsAll(typed, [...own, ...others]) ? "synonyms" : null;
}
