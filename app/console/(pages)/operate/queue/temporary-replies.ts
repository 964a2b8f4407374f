/** What an enhanced status code means (RFC 3463), the most exact first. */
const EXPLANATIONS: [code: string, words: string][] = [
  ["4.1", "The address is not taken at the moment"],
  ["4.2.2", "The mailbox is full"],
  ["4.2", "The mailbox cannot take mail at the moment"],
  ["4.3.1", "Their server has no room at the moment"],
  ["4.3", "Trouble with a mail system, theirs or ours"],
  ["4.4.1", "Their server does not answer"],
  ["4.4.2", "The connection broke off"],
  ["4.4.3", "Their domain could not be looked up"],
  ["4.4.7", "It took too long"],
  ["4.4", "Their server cannot be reached"],
  ["4.5", "Their server broke off the conversation"],
  ["4.6", "Their server does not take the message as it is"],
  ["4.7.1", "They ask us to wait: greylisting, or too much at once"],
  ["4.7", "They put us off for reasons of policy"],
];

/** What a temporary refusal means. */
export function explainTemporaryReply(dsn: string | null): string {
  const found = EXPLANATIONS.find(([code]) => dsn === code || dsn?.startsWith(`${code}.`));
  return found?.[1] ?? "They put us off for now";
}
