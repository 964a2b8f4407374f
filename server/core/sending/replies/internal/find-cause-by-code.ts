import type { Cause } from "#server/core/sending/replies/causes.ts";

/**
 * Enhanced status codes with one meaning (RFC 3463, RFC 7372, RFC 7505 and the IANA registry), by subject and
 * detail, for `4.` and `5.` alike.
 */
const EXACT: Record<string, Cause> = {
  "1.1": "no_mailbox",
  "1.2": "no_domain",
  "1.3": "bad_address",
  "1.4": "bad_address",
  "1.6": "mailbox_moved",
  "1.7": "sender_refused",
  "1.8": "sender_refused",
  "2.1": "mailbox_disabled",
  "2.2": "mailbox_full",
  "2.3": "message_too_large",
  "2.4": "list_broken",
  "3.1": "server_full",
  "3.4": "message_too_large",
  "4.2": "connection_lost",
  "4.3": "no_dns",
  "4.4": "no_route",
  "4.5": "server_busy",
  "4.6": "loop",
  "4.7": "expired",
  "5.1": "misunderstanding",
  "5.2": "misunderstanding",
  "5.3": "too_many_recipients",
  "5.4": "misunderstanding",
  "5.5": "misunderstanding",
  "6.1": "content_refused",
  "6.7": "content_refused",
  "7.5": "insecure",
  "7.20": "dkim_failed",
  "7.21": "dkim_failed",
  "7.22": "dkim_failed",
  "7.23": "spf_failed",
  "7.24": "spf_failed",
  "7.25": "no_reverse_name",
  "7.26": "unauthenticated",
  "7.27": "sender_takes_no_mail",
  // Used by Gmail and Microsoft, not registered.
  "7.28": "rate_limited",
  "7.54": "no_relay",
  "7.133": "own_people_only",
  "7.500": "server_busy",
  "7.515": "unauthenticated",
  "7.650": "rate_limited",
};

/** Codes with several uses; the text counts more. */
const VAGUE: Record<string, Cause> = {
  "1.10": "takes_no_mail",
  "3.2": "server_trouble",
  "4.1": "unreachable",
  "7.1": "not_wanted",
};

/** For unknown details. */
const BY_SUBJECT: Record<string, Cause> = {
  "1": "address_refused",
  "2": "mailbox_refused",
  "3": "server_trouble",
  "4": "unreachable",
  "5": "misunderstanding",
  "6": "content_refused",
  "7": "policy",
};

/** The cause that the code alone states; null if the text is needed. */
export function findCauseByExactCode(dsn: string): Cause | null {
  const { subject, detail } = read(dsn);
  // 5.2.1 means a disabled mailbox; 4.2.1 only says it can't accept more right now.
  if (dsn === "4.2.1") return "mailbox_busy";
  // Microsoft's range for banned addresses.
  if (subject === "7" && /^6\d\d$/.test(detail) && detail !== "650") return "blocklisted";
  return EXACT[`${subject}.${detail}`] ?? null;
}

/** The most likely cause if nothing better is known. */
export function findCauseByVagueCode(dsn: string): Cause {
  const { subject, detail } = read(dsn);
  return VAGUE[`${subject}.${detail}`] ?? BY_SUBJECT[subject] ?? "not_taken";
}

function read(dsn: string): { subject: string; detail: string } {
  const [, subject = "", detail = ""] = /^[245]\.(\d{1,3})\.(\d{1,3})$/.exec(dsn) ?? [];
  return { subject, detail };
}
