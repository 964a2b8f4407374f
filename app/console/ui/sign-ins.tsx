import type { APP_PASSWORD_SCOPES } from "#server/universal/app-password-scopes.ts";

import { RelativeTime } from "./time.tsx";
import { pageText, RichText, useTexts } from "./texts.tsx";

type LastUse = {
  scope: (typeof APP_PASSWORD_SCOPES)[number];
  lastUsedAt: string | null;
  lastUsedFor: string | null;
  lastUsedFrom: string | null;
};

/** What an app password is limited to, and when, for which protocol and from which address it was last used. */
export function AppPasswordLastUse({
  password: { scope, lastUsedAt: at, lastUsedFor: purpose, lastUsedFrom: from },
}: {
  password: LastUse;
}) {
  const text = useTexts();
  const limit = scope !== "all" && `${text(`scope.${scope}`)}. `;
  if (at === null)
    return (
      <>
        {limit}
        {text("use.never")}
      </>
    );
  return (
    <>
      {limit}
      <RichText id="use.last" values={{ time: <RelativeTime at={at} /> }} />
      {purpose !== null && text("use.for", { protocol: formatProtocols([purpose]) })}
      {from !== null && text("use.from", { address: from })}
    </>
  );
}

const PROTOCOLS = ["imap", "pop3", "smtp", "sieve", "calendar"] as const;

/** Labels for the protocols of mail apps. */
export function formatProtocols(services: string[]): string {
  const name = (service: string) => {
    const known = PROTOCOLS.find((each) => each === service);
    return known ? pageText(`protocol.${known}`) : service;
  };
  return services.map(name).join(", ");
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
  const browser = nameIn(BROWSERS) ?? pageText("browser.unknown");
  const system = nameIn(SYSTEMS);
  return system === undefined ? browser : pageText("browser.on", { browser, system });
}
