import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";

/** What happens to a recipient of a test email. */
export type SimulatedRecipient =
  | { kind: "delivered" | "complained" | "opened" | "clicked" | "suppressed" }
  | { kind: "bounced"; dsn: string }
  /** Delivered after this many temporary failures. */
  | { kind: "delayed"; failures: number };

/** Resend's test addresses, which its users' tests send to. */
const RESEND_DOMAIN = "resend.dev";

const MAGIC = /^([a-z]+)(?:\+(.*))?$/;
const PLAIN = ["complained", "opened", "clicked", "suppressed"] as const;
const PERMANENT_DSN = /^5\.\d{1,3}\.\d{1,3}$/;
const UNKNOWN_USER = "5.1.1";
const FAILURES_MAX = 20;

/**
 * Parses the outcome that a test email's recipient asks for: `bounced@test.<hostname>`, with a status code such as
 * `bounced+5.2.2@`, or a number of failures such as `delayed+3@`. Other labels are ignored, and every other address
 * is delivered.
 */
export function simulatedRecipient(address: string, hostname: string): SimulatedRecipient {
  const domain = addressDomain(address);
  if (domain !== `test.${hostname}` && domain !== RESEND_DOMAIN) return { kind: "delivered" };
  const [, kind, label = ""] = MAGIC.exec(address.slice(0, address.lastIndexOf("@"))) ?? [];
  if (kind === "bounced") return { kind, dsn: PERMANENT_DSN.test(label) ? label : UNKNOWN_USER };
  if (kind === "delayed") return { kind, failures: readFailures(label) };
  return { kind: PLAIN.find((plain) => plain === kind) ?? "delivered" };
}

const readFailures = (label: string) =>
  /^[1-9]\d?$/.test(label) ? Math.min(Number(label), FAILURES_MAX) : 1;
