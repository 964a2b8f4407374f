const WORDS: Record<string, string> = {
  imap: "reading (IMAP)",
  pop3: "reading (POP3)",
  smtp: "sending",
  sieve: "filters",
};

/** Labels for the protocols of mail apps. */
export function formatProtocols(services: string[]): string {
  return services.map((service) => WORDS[service] ?? service).join(", ");
}
