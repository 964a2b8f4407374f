import type { MtaStsPolicy } from "#drizzle/schema/index.ts";

export type PolicyTerms = Pick<MtaStsPolicy, "mode" | "mx" | "maxAgeSeconds">;

const MODES: readonly string[] = ["enforce", "testing", "none"] satisfies PolicyTerms["mode"][];

/** RFC 8461 §3.2 allows at most a year. */
const MAX_AGE_SECONDS_MAX = 31_557_600;

const MAIL_HOST = /^(\*\.)?([a-z0-9_-]+\.)*[a-z0-9_-]+$/;

/**
 * Parses a policy file (RFC 8461 §3.2). The first of duplicate fields counts, unknown fields are ignored,
 * and patterns that no host can match are dropped.
 *
 * @returns null if the text is not a policy
 */
export function readPolicy(text: string): PolicyTerms | null {
  const fields = text.split(/\r?\n/).map(readField);
  const first = (name: string) => fields.find((field) => field.name === name)?.value;

  const mode = first("mode") ?? "";
  const maxAge = first("max_age") ?? "";
  if (first("version") !== "STSv1" || !isMode(mode) || !/^\d{1,10}$/.test(maxAge)) return null;
  const mx = fields
    .filter(({ name }) => name === "mx")
    .map(({ value }) => value.toLowerCase().replace(/\.$/, ""))
    .filter((pattern) => MAIL_HOST.test(pattern));
  if (mode !== "none" && mx.length === 0) return null;
  return { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), MAX_AGE_SECONDS_MAX) };
}

function readField(line: string): { name: string; value: string } {
  const [name = "", ...rest] = line.split(":");
  return { name: name.trim(), value: rest.join(":").trim() };
}

const isMode = (text: string): text is PolicyTerms["mode"] => MODES.includes(text);
