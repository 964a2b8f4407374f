/** What an enhanced status code (RFC 3463) means for the author of a message, and what to do. */
export type Reason = { what: string; advice: string };

const NO_MAILBOX: Reason = {
  what: "The mailbox does not exist.",
  advice: "Check the address for typos, or ask the recipient for the right one.",
};
const NO_DOMAIN: Reason = {
  what: "The domain after the @ does not exist or doesn't accept mail.",
  advice: "Check the address for typos.",
};
const BLOCKED: Reason = {
  what: "The other server has blocked mail from this server.",
  advice: "Your administrator can find out why and request removal of the block.",
};
const POLICY: Reason = {
  what: "The other server rejected this message because of its policy.",
  advice: "The server's reply below may say why. The recipient's administrator can allow it.",
};

const REASONS: [code: RegExp, reason: Reason][] = [
  [/^5\.1\.(0|1|3|6)$/, NO_MAILBOX],
  [/^5\.(1\.(2|10)|4\.4)$/, NO_DOMAIN],
  [
    /^5\.1\.[78]$/,
    {
      what: "The other server does not accept the sender's address.",
      advice: "Ask your administrator whether your address can receive mail.",
    },
  ],
  [
    /^5\.2\.1$/,
    {
      what: "The mailbox is disabled.",
      advice: "Contact the recipient another way and ask for a new address.",
    },
  ],
  [
    /^5\.(2\.2|3\.1)$/,
    {
      what: "The mailbox is full.",
      advice: "Contact the recipient another way, and resend the message once there is space.",
    },
  ],
  [
    /^5\.(2\.3|3\.4)$/,
    {
      what: "The message is too large for the other server.",
      advice: "Resend it with smaller attachments, or with links instead.",
    },
  ],
  [
    /^5\.(4\.6|4\.8|1\.4)$/,
    {
      what: "The message is looping: addresses forward it to each other.",
      advice: "Ask the recipient to check their forwarding.",
    },
  ],
  [
    /^5\.4\.7$/,
    {
      what: "The other server did not accept the message in time.",
      advice: "Resend it later, or contact the recipient another way.",
    },
  ],
  [
    /^5\.5\.3$/,
    {
      what: "The message has too many recipients for the other server.",
      advice: "Send it to fewer recipients at a time.",
    },
  ],
  [
    /^5\.6\.7$/,
    {
      what: "The other server does not support addresses with non-ASCII characters.",
      advice: "Ask the recipient for an address without such characters.",
    },
  ],
  [
    /^5\.6\./,
    {
      what: "The other server could not parse the message.",
      advice: "Resend it as plain text, or from another mail app.",
    },
  ],
  [
    /^5\.7\.(2\d|30)$/,
    {
      what: "The other server could not verify that the message is from your domain.",
      advice: "Your administrator can check the domain's SPF, DKIM and DMARC records.",
    },
  ],
  [/^5\.7\.(511|512|60[6-9]|6[1-4]\d|708|750)$/, BLOCKED],
  [/^5\.7\./, POLICY],
];

const OTHER: Reason = {
  what: "The other server rejected the message.",
  advice: "The server's reply below may say more. Your administrator can help.",
};

/** Many servers use one code for everything they reject. */
const SAYS_BLOCKED =
  /black ?list|block ?list|deny ?list|\brbl\b|dnsbl|spamhaus|spamcop|barracuda|\bblocked\b|banned|poor reputation|\bs31[45]0\b/i;

/**
 * Explains in plain words why a message was not delivered.
 *
 * @param status of the failure, 5.x.x
 * @param reply the server's reply
 */
export function explainStatus(status: string, reply: string): Reason {
  const found = REASONS.find(([code]) => code.test(status))?.[1];
  const isVague = found === undefined || found === POLICY;
  if (isVague && SAYS_BLOCKED.test(reply)) return BLOCKED;
  return found ?? OTHER;
}
