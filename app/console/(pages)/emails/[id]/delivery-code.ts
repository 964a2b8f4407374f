/** Enhanced status codes (RFC 3463 and its registry) by subject and detail, for both `4.` and `5.`. */
const BY_DETAIL: Record<string, (domain: string) => string> = {
  "1.1": (domain) => `The mailbox does not exist at ${domain}.`,
  "1.2": (domain) => `${domain} does not exist or cannot receive mail.`,
  "1.3": () => "The address is not written in a way that the receiving server understands.",
  "1.6": (domain) => `The mailbox has moved away from ${domain}.`,
  "1.8": (domain) => `${domain} does not accept the sender's address.`,
  "1.10": (domain) => `${domain} declares that it receives no mail.`,
  "2.1": (domain) => `The mailbox at ${domain} is switched off.`,
  "2.2": () => "The mailbox is full.",
  "2.3": () => "The message is larger than the mailbox takes.",
  "2.4": () => "The list behind the address could not be expanded.",
  "3.1": (domain) => `The mail system of ${domain} has no space left.`,
  "3.2": (domain) => `The mail system of ${domain} takes no messages right now.`,
  "3.4": (domain) => `The message is larger than ${domain} takes.`,
  "4.1": (domain) => `No mail server of ${domain} answered.`,
  "4.2": (domain) => `The connection to the mail server of ${domain} broke off.`,
  "4.3": (domain) => `The mail servers of ${domain} could not be looked up in DNS.`,
  "4.4": (domain) => `There is no route to a mail server of ${domain}.`,
  "4.5": (domain) => `The mail system of ${domain} is overloaded.`,
  "4.7": (domain) => `${domain} did not take the message within 48 hours.`,
  "5.2": () => "The receiving server did not understand a command.",
  "5.3": () => "The message has more recipients than the receiving server takes at once.",
  "6.1": () => "The receiving server does not take this kind of content.",
  "7.0": (domain) => `${domain} refused it for a reason of its own policy.`,
  "7.1": (domain) => `${domain} does not accept mail from this sender.`,
  "7.20": () => "No valid DKIM signature was found.",
  "7.23": () => "The SPF check failed.",
  "7.25": () => "The sending server's address has no matching name in DNS.",
  "7.26": () => "Both SPF and DKIM failed.",
  "7.27": (domain) => `${domain} found that the sender's domain receives no mail.`,
};

/** By subject alone, where the detail is unknown. */
const BY_SUBJECT: Record<string, (domain: string) => string> = {
  "1": (domain) => `${domain} does not accept the address.`,
  "2": (domain) => `The mailbox at ${domain} cannot take the message.`,
  "3": (domain) => `The mail system of ${domain} cannot take the message.`,
  "4": (domain) => `The mail server of ${domain} could not be reached.`,
  "5": (domain) => `The mail server of ${domain} and ours did not understand each other.`,
  "6": (domain) => `${domain} does not take this content.`,
  "7": (domain) => `${domain} refused it for a reason of its policy.`,
};

/** What a delivery status code such as `5.1.1` says, in a sentence. */
export function codeInWords(code: string, domain: string): string {
  const [, severity, subject, detail] = /^([245])\.(\d{1,3})\.(\d{1,3})$/.exec(code) ?? [];
  const sentence =
    BY_DETAIL[`${subject ?? ""}.${detail ?? ""}`] ?? BY_SUBJECT[subject ?? ""] ?? null;
  if (sentence) return sentence(domain);
  return severity === "4"
    ? `${domain} could not take the message for now.`
    : `${domain} refused the message.`;
}
