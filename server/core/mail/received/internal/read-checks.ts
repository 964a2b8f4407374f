import type { Message } from "#server/core/shared/mime/message.ts";

/** What the checks on arrival found; null where they didn't run. */
export type ArrivalChecks = {
  spf: string | null;
  dkim: string | null;
  dmarc: string | null;
  isSpam: boolean;
  spamScore: number | null;
};

/**
 * Reads the trace fields that the appliance put on top of a message.
 *
 * @param isChecked whether the message passed `addTraceFields`, which removes forged Authentication-Results. Forged
 * `X-Posthouse-` fields are removed from all messages
 */
export function readChecks(message: Message, { isChecked }: { isChecked: boolean }): ArrivalChecks {
  const results = isChecked
    ? (message.value("authentication-results") ?? "").split(";").slice(1)
    : [];
  const resultsOf = (method: string) =>
    results.flatMap((part) => new RegExp(`^\\s*${method}=([a-z]+)`).exec(part)?.[1] ?? []);
  const dkim = resultsOf("dkim");
  const score = Number.parseFloat(message.value("x-posthouse-spam") ?? "");
  return {
    spf: resultsOf("spf")[0] ?? null,
    dkim: dkim.includes("pass") ? "pass" : (dkim[0] ?? null),
    dmarc: resultsOf("dmarc")[0] ?? null,
    isSpam: message.value("x-posthouse-junk") !== null,
    spamScore: Number.isFinite(score) ? score : null,
  };
}
