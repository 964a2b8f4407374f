/** What was found about one part of the appliance. */
export type Finding = {
  part: string;
  /** `warning`: works, but look at it. `failed`: does not work. `unknown`: could not be found out. */
  state: "ok" | "warning" | "failed" | "unknown";
  /** One sentence of what was seen. */
  found: string;
  /** What to do about it. */
  advice?: string;
  /** A command that shows the same from elsewhere. */
  command?: string;
};

/** What to say beside what was found. */
type More = Pick<Finding, "command">;

export const ok = (part: string, found: string, more: More = {}): Finding => ({
  ...{ part, state: "ok", found },
  ...more,
});

export const warning = (part: string, found: string, advice: string, more: More = {}): Finding => ({
  ...{ part, state: "warning", found, advice },
  ...more,
});

export const failed = (part: string, found: string, advice: string, more: More = {}): Finding => ({
  ...{ part, state: "failed", found, advice },
  ...more,
});

export const unknown = (part: string, found: string, advice: string, more: More = {}): Finding => ({
  ...{ part, state: "unknown", found, advice },
  ...more,
});

/** From what is well to what is not. */
const SEVERITY: Finding["state"][] = ["ok", "unknown", "warning", "failed"];

/** Several findings as one: what is wrong, gravest first, or else all that is well. */
export function combineFindings(part: string, findings: Finding[]): Finding {
  const gravest = findings.toSorted(
    (a, b) => SEVERITY.indexOf(b.state) - SEVERITY.indexOf(a.state),
  )[0];
  if (!gravest) return ok(part, "Nothing to check");
  const told = findings.filter(({ state }) => (gravest.state === "ok" ? true : state !== "ok"));
  const textOf = (texts: (string | undefined)[]) =>
    [...new Set(texts.filter((text) => text !== undefined))].join("; ");
  const advice = textOf(told.map((finding) => finding.advice));
  return {
    ...{ part, state: gravest.state, found: textOf(told.map(({ found }) => found)) },
    ...(advice && { advice }),
    ...(gravest.command && { command: gravest.command }),
  };
}
