/** The result of checking one part of the appliance. */
export type Finding = {
  part: string;
  /** `warning`: works, but needs attention. `failed`: doesn't work. `unknown`: couldn't be checked. */
  state: "ok" | "warning" | "failed" | "unknown";
  /** One sentence. */
  found: string;
  /** What to do. */
  advice?: string;
  /** A shell command to verify the finding. */
  command?: string;
};

type More = Pick<Finding, "command">;

export const ok = (part: string, found: string, more: More = {}): Finding => ({
  part,
  state: "ok",
  found,
  ...more,
});

export const warning = (part: string, found: string, advice: string, more: More = {}): Finding => ({
  part,
  state: "warning",
  found,
  advice,
  ...more,
});

export const failed = (part: string, found: string, advice: string, more: More = {}): Finding => ({
  part,
  state: "failed",
  found,
  advice,
  ...more,
});

export const unknown = (part: string, found: string, advice: string, more: More = {}): Finding => ({
  part,
  state: "unknown",
  found,
  advice,
  ...more,
});

/** In ascending order. */
const SEVERITY: Finding["state"][] = ["ok", "unknown", "warning", "failed"];

/** Combines findings into one with the highest severity: the problems if there are any, or else all findings. */
export function combineFindings(part: string, findings: Finding[]): Finding {
  const mostSevere = findings.toSorted(
    (a, b) => SEVERITY.indexOf(b.state) - SEVERITY.indexOf(a.state),
  )[0];
  if (!mostSevere) return ok(part, "Nothing to check");
  const shown = findings.filter(({ state }) => (mostSevere.state === "ok" ? true : state !== "ok"));
  const textOf = (texts: (string | undefined)[]) =>
    joinSentences([...new Set(texts.filter((text) => text !== undefined))]);
  const advice = textOf(shown.map((finding) => finding.advice));
  return {
    part,
    state: mostSevere.state,
    found: textOf(shown.map(({ found }) => found)),
    ...(advice && { advice }),
    ...(mostSevere.command && { command: mostSevere.command }),
  };
}

/** Joins sentences that have no final period. The result has none either, and keeps the case of the first letter. */
const joinSentences = (sentences: string[]): string =>
  sentences
    .map((text, at) => (at === 0 ? text : text.replace(/^[a-z](?=[a-z]*( |$))/, toUpperCase)))
    .join(". ");

const toUpperCase = (letter: string) => letter.toUpperCase();

type Shape = { separator?: ", " | "; "; max?: number };

/** The first items, and how many there are besides: "a, b, c and 2 more". */
export function shortList(items: string[], { separator = ", ", max = 3 }: Shape = {}): string {
  const shown = items.slice(0, max).join(separator);
  const rest = items.length - max;
  if (rest <= 0) return shown;
  return `${shown}${separator === "; " ? ";" : ""} and ${rest} more`;
}
