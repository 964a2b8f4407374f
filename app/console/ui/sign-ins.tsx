import { RelativeTime } from "./time.tsx";

type LastUse = {
  lastUsedAt: string | null;
  lastUsedFor: string | null;
  lastUsedFrom: string | null;
};

/** When, for which protocol and from which address an app password was last used. */
export function AppPasswordLastUse({
  password: { lastUsedAt: at, lastUsedFor: purpose, lastUsedFrom: from },
}: {
  password: LastUse;
}) {
  if (at === null) return "Never used";
  return (
    <>
      Last used <RelativeTime at={at} />
      {purpose !== null && ` for ${formatProtocols([purpose])}`}
      {from !== null && ` from ${from}`}
    </>
  );
}

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

// Order matters: most browsers also name the ones below them.
const BROWSERS: [part: RegExp, name: string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: [part: RegExp, name: string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

/** A readable browser name: "Firefox on Windows". */
export function describeUserAgent(userAgent: string | null): string {
  const nameIn = (names: [RegExp, string][]) =>
    names.find(([part]) => part.test(userAgent ?? ""))?.[1];
  const browser = nameIn(BROWSERS) ?? "Unknown browser";
  const system = nameIn(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
