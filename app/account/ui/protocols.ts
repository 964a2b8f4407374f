const WORDS: Record<string, string> = {
  imap: "reading (IMAP)",
  pop3: "reading (POP3)",
  smtp: "sending",
  sieve: "filters",
};

/** What mail apps are connected for: reading (IMAP), sending. */
export function protocolsInWords(services: string[]): string {
  return services.map((service) => WORDS[service] ?? service).join(", ");
}
