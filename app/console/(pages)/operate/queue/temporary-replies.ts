/** By enhanced status code (RFC 3463), the most specific first. */
const EXPLANATIONS: [code: string, explanation: string][] = [
  ["4.1", "The address isn’t accepting mail right now"],
  ["4.2.2", "The mailbox is full"],
  ["4.2", "The mailbox can’t receive mail right now"],
  ["4.3.1", "Their server is out of storage"],
  ["4.3", "A mail system had a problem, on their side or ours"],
  ["4.4.1", "Their server doesn’t respond"],
  ["4.4.2", "The connection was lost"],
  ["4.4.3", "The DNS lookup of their domain failed"],
  ["4.4.7", "Delivery timed out"],
  ["4.4", "Their server can’t be reached"],
  ["4.5", "Their server ended the connection"],
  ["4.6", "Their server doesn’t accept the message content"],
  ["4.7.1", "Greylisted or rate-limited by their server"],
  ["4.7", "Their server deferred the message for policy reasons"],
];

export function explainTemporaryReply(dsn: string | null): string {
  const found = EXPLANATIONS.find(([code]) => dsn === code || dsn?.startsWith(`${code}.`));
  return found?.[1] ?? "Their server asked us to retry later";
}
