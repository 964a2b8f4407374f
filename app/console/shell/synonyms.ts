/** Other words for terms of the console. They also find items whose text contains the term. */
const SYNONYMS: Record<string, string> = {
  admin: "administrators colleagues teammates",
  alias: "extra additional secondary address",
  "api key": "tokens secrets credentials",
  "api reference": "documentation docs openapi",
  "audit log": "history who changed activity compliance",
  "automatic replies": "vacation out of office ooo holiday absence autoresponder autoreply away",
  "back up": "backup disaster snapshot copy",
  bounces: "undelivered returned complaint reputation",
  bulk: "several many mass",
  "catch-all": "catchall wildcard",
  change: "edit modify rename",
  code: "example sdk resend curl quickstart",
  company: "organization account",
  create: "new add make",
  dark: "night theme colors appearance",
  "data erasure": "gdpr privacy forget",
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
  "ip allow-list": "allowlist whitelist restrict network",
  invite: "new add",
  light: "day theme colors appearance",
  limits: "quota rate 429 maximum",
  "mail app": "outlook thunderbird iphone android phone imap pop3 smtp server port client",
  "mail filtering": "spam junk greylisting sender",
  mailbox: "users persons employees accounts inbox",
  metrics: "statistics analytics charts reports",
  migrate: "move import imap google workspace microsoft 365 exchange switch",
  name: "rename",
  notifications: "alerts notify",
  "on hold": "held compromised hacked blocked",
  operate: "operator server",
  password: "forgot credentials",
  policies: "policy rules settings",
  posthouse: "server",
  privileges: "permissions rights access role",
  quarantine: "spam junk virus release false positive",
  queue: "waiting delayed stuck retry",
  receive: "inbound incoming parse reply",
  receiving: "inbound incoming catch-all",
  restore: "recover undo undelete",
  roles: "permissions rights access department",
  "second factor": "2fa mfa totp two-factor authenticator passkey recovery code",
  "server settings": "limits quota rate alarms retention",
  session: "signed in devices log out everywhere",
  settings: "preferences configuration options",
  "sign out": "log out logout leave",
  "single sign-on": "sso saml oidc openid okta entra azure google identity provider",
  spam: "junk virus",
  storage: "quota size space gb full",
  suppressions: "blocked unsubscribe blacklist complaint",
  suspend: "block disable deactivate lock offboarding leave",
  system: "theme colors appearance",
  template: "variables placeholders reuse",
  trace: "missing lost arrive delivery search find where",
  "two-factor authentication": "2fa mfa totp second factor",
  unit: "organizational departments teams ou",
  upgrade: "update version release",
  webhook: "events signing svix callback",
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
  const own = wordsOf(`${label} ${detail}`);
  if (startsAll(typed, own)) return "words";
  const text = ` ${own.join(" ")}`;
  const others = Object.entries(SYNONYMS).flatMap(([term, words]) =>
    text.includes(` ${term}`) ? words.split(" ") : [],
  );
  return startsAll(typed, [...own, ...others]) ? "synonyms" : null;
}
