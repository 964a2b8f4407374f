/** Why a server rejected a message, as far as its reply says. */
export type Cause = keyof typeof CAUSES;

type Words = {
  /** What happened, for readers who don't know mail codes; `at` is the recipient's domain. */
  why: (at: string) => string;
  /** What to do if the failure is final; null if nothing helps. */
  advice: string | null;
};

const CONTACT_RECIPIENT = "Contact the recipient another way and ask for a working address.";
const RETRY_LATER = "Resend it later.";
const CONTACT_OPERATOR =
  "Contact your Posthouse operator. The server's reply says where to appeal.";
const DOMAIN_RECORDS = "Check the DNS records of the sending domain under Domains, then resend.";

export const CAUSES = {
  no_mailbox: {
    why: (at) => `The mailbox does not exist at ${at}.`,
    advice: "Correct the address, or remove it from your lists.",
  },
  mailbox_disabled: {
    why: (at) => `The mailbox at ${at} is disabled.`,
    advice: CONTACT_RECIPIENT,
  },
  mailbox_full: { why: (at) => `The mailbox at ${at} is full.`, advice: CONTACT_RECIPIENT },
  mailbox_busy: {
    why: (at) => `The mailbox is receiving more mail than ${at} allows right now.`,
    advice: RETRY_LATER,
  },
  mailbox_moved: {
    why: (at) => `The mailbox is no longer at ${at}.`,
    advice: CONTACT_RECIPIENT,
  },
  bad_address: {
    why: (at) => `${at} rejected the address as invalid.`,
    advice: "Correct the address.",
  },
  no_domain: {
    why: (at) => `${at} does not exist or cannot receive mail.`,
    advice: "Check the part after the @ for typos.",
  },
  takes_no_mail: {
    why: (at) => `${at} doesn't accept any mail.`,
    advice: "Check the part after the @ for typos.",
  },
  list_broken: {
    why: (at) => `${at} could not expand the mailing list at this address.`,
    advice: RETRY_LATER,
  },
  own_people_only: {
    why: () => "The address accepts mail only from its own organization.",
    advice: "Ask them to allow mail from your domain.",
  },
  sender_refused: {
    why: (at) => `${at} does not accept the sender's address.`,
    advice: DOMAIN_RECORDS,
  },
  sender_takes_no_mail: {
    why: (at) => `${at} rejected the sender because the sending domain doesn't receive mail.`,
    advice: "Add an MX record to the sending domain, then resend.",
  },
  not_wanted: {
    why: (at) => `${at} does not accept mail from this sender.`,
    advice: CONTACT_RECIPIENT,
  },
  policy: {
    why: (at) => `${at} rejected the message because of its policy.`,
    advice: "Ask the recipient's postmaster about the policy.",
  },
  spam: {
    why: (at) => `${at} classified the message as spam.`,
    advice: "Remove what looks like spam, such as shortened links or image-only content.",
  },
  virus: {
    why: (at) => `${at} found a virus in the message.`,
    advice: "Check its attachments and links before you resend.",
  },
  blocklisted: {
    why: (at) => `${at} rejects mail from this server because its IP address is on a blocklist.`,
    advice: CONTACT_OPERATOR,
  },
  poor_reputation: {
    why: (at) => `${at} rejects mail from this server because of its IP address's poor reputation.`,
    advice: CONTACT_OPERATOR,
  },
  server_refused: {
    why: (at) => `${at} rejects mail from this server.`,
    advice: CONTACT_OPERATOR,
  },
  rate_limited: {
    why: (at) => `${at} is limiting mail from this server.`,
    advice: "Resend it later, and spread large mailings over more time.",
  },
  greylisted: {
    why: (at) =>
      `${at} uses greylisting: it accepts mail from new senders only on a later attempt.`,
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
    why: () => "The sending server's IP address has no matching hostname in DNS.",
    advice: "Contact your Posthouse operator: the server's IP address needs a PTR record.",
  },
  no_relay: {
    why: (at) => `The mail server listed for ${at} doesn't accept its mail.`,
    advice:
      "Check the part after the @ for typos. If it is correct, the domain's MX record is wrong.",
  },
  insecure: {
    why: (at) => `No mail server of ${at} offered the required secure connection.`,
    advice: "Ask the recipient's postmaster to fix their certificate or MTA-STS policy.",
  },
  message_too_large: {
    why: (at) => `The message is too large for ${at}.`,
    advice: "Resend it with smaller attachments, or with links instead.",
  },
  content_refused: {
    why: (at) => `${at} doesn't accept this kind of content.`,
    advice: "Resend it without unusual characters or file types.",
  },
  too_many_recipients: {
    why: (at) => `The message has too many recipients for ${at}.`,
    advice: RETRY_LATER,
  },
  unreachable: { why: (at) => `No mail server of ${at} answered.`, advice: RETRY_LATER },
  connection_lost: {
    why: (at) => `The connection to the mail server of ${at} was lost.`,
    advice: RETRY_LATER,
  },
  no_dns: {
    why: (at) => `The mail servers of ${at} could not be looked up in DNS.`,
    advice: RETRY_LATER,
  },
  no_route: { why: (at) => `There is no route to a mail server of ${at}.`, advice: RETRY_LATER },
  loop: {
    why: (at) => `The message is looping between the servers of ${at}.`,
    advice: "Tell the recipient's postmaster that mail to this address loops.",
  },
  expired: {
    why: (at) => `${at} did not accept the message in time.`,
    advice: RETRY_LATER,
  },
  server_full: {
    why: (at) => `The mail system of ${at} is out of disk space.`,
    advice: RETRY_LATER,
  },
  server_trouble: {
    why: (at) => `The mail system of ${at} has an internal problem.`,
    advice: RETRY_LATER,
  },
  server_busy: { why: (at) => `The mail system of ${at} is overloaded.`, advice: RETRY_LATER },
  misunderstanding: {
    why: (at) => `The mail server of ${at} reported an SMTP protocol error.`,
    advice: CONTACT_OPERATOR,
  },
  address_refused: { why: (at) => `${at} does not accept the address.`, advice: CONTACT_RECIPIENT },
  mailbox_refused: {
    why: (at) => `The mailbox at ${at} can't accept the message.`,
    advice: CONTACT_RECIPIENT,
  },
  not_taken: { why: (at) => `${at} did not accept the message.`, advice: null },
} as const satisfies Record<string, Words>;
