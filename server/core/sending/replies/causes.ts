/** Why a server rejected a message, as far as its reply says. */
export type Cause = keyof typeof CAUSES;

type Words = {
  /** What happened, for readers who don't know mail codes; `at` is the recipient's domain. */
  why: (at: string) => string;
  /** What to do if the failure is final; null if nothing helps. */
  advice: string | null;
};

const CONTACT_RECIPIENT = "Ask the recipient in another way for an address that works.";
const RETRY_LATER = "Send it again later.";
const CONTACT_OPERATOR =
  "Tell whoever runs this Posthouse; the server's own words say where to ask.";
const DOMAIN_RECORDS = "Check the records of the sending domain under Domains, then send it again.";

export const CAUSES = {
  no_mailbox: {
    why: (at) => `The mailbox does not exist at ${at}.`,
    advice: "Correct the address, or remove it from your lists.",
  },
  mailbox_disabled: {
    why: (at) => `The mailbox at ${at} is switched off.`,
    advice: CONTACT_RECIPIENT,
  },
  mailbox_full: { why: (at) => `The mailbox at ${at} is full.`, advice: CONTACT_RECIPIENT },
  mailbox_busy: {
    why: (at) => `The mailbox gets more mail at the moment than ${at} lets through.`,
    advice: RETRY_LATER,
  },
  mailbox_moved: {
    why: (at) => `The mailbox has moved away from ${at}.`,
    advice: CONTACT_RECIPIENT,
  },
  bad_address: {
    why: (at) => `${at} does not understand the address as it is written.`,
    advice: "Correct the address.",
  },
  no_domain: {
    why: (at) => `${at} does not exist or cannot receive mail.`,
    advice: "Look for a typing mistake behind the @.",
  },
  takes_no_mail: {
    why: (at) => `${at} declares that it receives no mail.`,
    advice: "Look for a typing mistake behind the @.",
  },
  list_broken: {
    why: (at) => `The list behind the address could not be read at ${at}.`,
    advice: RETRY_LATER,
  },
  own_people_only: {
    why: () => "The address takes mail only from people of its own organization.",
    advice: "Ask them to let mail from your domain through.",
  },
  sender_refused: {
    why: (at) => `${at} does not accept the sender's address.`,
    advice: DOMAIN_RECORDS,
  },
  sender_takes_no_mail: {
    why: (at) => `${at} found that the sender's domain receives no mail.`,
    advice: "Give the sending domain an MX record, then send it again.",
  },
  not_wanted: {
    why: (at) => `${at} does not accept mail from this sender.`,
    advice: CONTACT_RECIPIENT,
  },
  policy: {
    why: (at) => `${at} refused it for a reason of its own policy.`,
    advice: "Ask the recipient's postmaster what the policy is.",
  },
  spam: {
    why: (at) => `${at} took the message for spam.`,
    advice: "Change what looks like spam in it, such as link shorteners or lone images.",
  },
  virus: {
    why: (at) => `A virus scanner at ${at} found something in the message.`,
    advice: "Check its files and links before you send it again.",
  },
  blocklisted: {
    why: (at) => `${at} refuses mail from this server's address, which is on a blocklist.`,
    advice: CONTACT_OPERATOR,
  },
  poor_reputation: {
    why: (at) => `This server's address has too poor a reputation with ${at}.`,
    advice: CONTACT_OPERATOR,
  },
  rate_limited: {
    why: (at) => `${at} takes less mail from this server for now.`,
    advice: "Send it again later, and spread large mailings over more time.",
  },
  greylisted: {
    why: (at) => `${at} takes mail from a new sender only at the second try.`,
    advice: RETRY_LATER,
  },
  spf_failed: { why: () => "The SPF check failed.", advice: DOMAIN_RECORDS },
  dkim_failed: { why: () => "No valid DKIM signature was found.", advice: DOMAIN_RECORDS },
  dmarc_failed: { why: () => "The DMARC check failed.", advice: DOMAIN_RECORDS },
  unauthenticated: {
    why: (at) => `${at} could not verify that your domain sent it: SPF and DKIM both failed.`,
    advice: DOMAIN_RECORDS,
  },
  no_reverse_name: {
    why: () => "The sending server's address has no matching name in DNS.",
    advice: "Tell whoever runs this Posthouse: its address needs a PTR record.",
  },
  no_relay: {
    why: (at) => `The server that is said to take mail for ${at} does not do so.`,
    advice: "Look for a typing mistake behind the @; else their MX record is wrong.",
  },
  insecure: {
    why: (at) => `No connection to ${at} was as secure as it has to be.`,
    advice: "Tell the recipient's postmaster: their certificate or MTA-STS policy is wrong.",
  },
  message_too_large: {
    why: (at) => `The message is larger than ${at} takes.`,
    advice: "Send it with smaller files, or a link in their place.",
  },
  content_refused: {
    why: (at) => `${at} does not take this kind of content.`,
    advice: "Send it without unusual characters or file types.",
  },
  too_many_recipients: {
    why: (at) => `The message has more recipients than ${at} takes at once.`,
    advice: RETRY_LATER,
  },
  unreachable: { why: (at) => `No mail server of ${at} answered.`, advice: RETRY_LATER },
  connection_lost: {
    why: (at) => `The connection to the mail server of ${at} broke off.`,
    advice: RETRY_LATER,
  },
  no_dns: {
    why: (at) => `The mail servers of ${at} could not be looked up in DNS.`,
    advice: RETRY_LATER,
  },
  no_route: { why: (at) => `There is no route to a mail server of ${at}.`, advice: RETRY_LATER },
  loop: {
    why: (at) => `The message went in circles between the servers of ${at}.`,
    advice: "Tell the recipient's postmaster: mail to this address never arrives.",
  },
  expired: { why: (at) => `${at} did not take the message within 48 hours.`, advice: RETRY_LATER },
  server_full: {
    why: (at) => `The mail system of ${at} has no space left.`,
    advice: RETRY_LATER,
  },
  server_trouble: {
    why: (at) => `The mail system of ${at} has trouble of its own.`,
    advice: RETRY_LATER,
  },
  server_busy: { why: (at) => `The mail system of ${at} is overloaded.`, advice: RETRY_LATER },
  misunderstanding: {
    why: (at) => `The mail server of ${at} and this one did not understand each other.`,
    advice: CONTACT_OPERATOR,
  },
  address_refused: { why: (at) => `${at} does not accept the address.`, advice: CONTACT_RECIPIENT },
  mailbox_refused: {
    why: (at) => `The mailbox at ${at} cannot take the message.`,
    advice: CONTACT_RECIPIENT,
  },
  not_taken: { why: (at) => `${at} did not take the message.`, advice: null },
} as const satisfies Record<string, Words>;
