/** What an enhanced status code (RFC 3463) means for the author of a message, and what to do. */
export type Reason = { what: string; advice: string };

const NO_MAILBOX: Reason = {
  what: "There is no such mailbox.",
  advice: "Check the address for mistakes, or ask the person for the right one.",
};
const NO_DOMAIN: Reason = {
  what: "The domain behind the @ does not exist or takes no mail.",
  advice: "Check the address for mistakes.",
};
const BLOCKED: Reason = {
  what: "The other server has blocked mail from this server.",
  advice: "Your administrator can find out why and have the block lifted.",
};
const POLICY: Reason = {
  what: "The rules of the other server do not allow this message.",
  advice:
    "The reason given below may say which rule it was. The recipient's administrator can allow it.",
};

const REASONS: [code: RegExp, reason: Reason][] = [
  [/^5\.1\.(0|1|3|6)$/, NO_MAILBOX],
  [/^5\.(1\.(2|10)|4\.4)$/, NO_DOMAIN],
  [
    /^5\.1\.[78]$/,
    {
      what: "The other server does not accept the sender's address.",
      advice: "Ask your administrator whether this address can receive mail itself.",
    },
  ],
  [
    /^5\.2\.1$/,
    {
      what: "The mailbox is switched off and takes no mail.",
      advice: "Ask the person in another way whether they have a new address.",
    },
  ],
  [
    /^5\.(2\.2|3\.1)$/,
    {
      what: "The mailbox is full.",
      advice: "Tell the person in another way, and send the message again when there is room.",
    },
  ],
  [
    /^5\.(2\.3|3\.4)$/,
    {
      what: "The message is too large for the other server.",
      advice: "Send it again with smaller attachments, or with a link in their place.",
    },
  ],
  [
    /^5\.(4\.6|4\.8|1\.4)$/,
    {
      what: "The message goes round in circles: addresses forward it to each other.",
      advice: "Ask the recipient to look at their forwarding.",
    },
  ],
  [
    /^5\.4\.7$/,
    {
      what: "It was tried for two days without success.",
      advice: "Try it once more later, or reach the person in another way.",
    },
  ],
  [
    /^5\.5\.3$/,
    {
      what: "The message has too many recipients for the other server.",
      advice: "Send it to fewer people at once.",
    },
  ],
  [
    /^5\.6\.7$/,
    {
      what: "The other server does not take addresses with letters beyond a to z.",
      advice: "Ask the person for an address without such letters.",
    },
  ],
  [
    /^5\.6\./,
    {
      what: "The other server cannot read the message as it is written.",
      advice: "Send it again as plain text, or from another mail app.",
    },
  ],
  [
    /^5\.7\.(2\d|30)$/,
    {
      what: "The other server does not believe that the message is from your domain.",
      advice: "Your administrator can check the domain's SPF, DKIM and DMARC records.",
    },
  ],
  [/^5\.7\.(511|512|60[6-9]|6[1-4]\d|708|750)$/, BLOCKED],
  [/^5\.7\./, POLICY],
];

const OTHER: Reason = {
  what: "The other server refuses the message.",
  advice: "The reason given below may say more. Your administrator can help.",
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
