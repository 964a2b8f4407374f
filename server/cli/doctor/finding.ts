/** What the doctor found about one part. */
export type Finding = {
  part: string;
  /** `warning`: works, but look at it. `problem`: does not work. */
  state: "ok" | "warning" | "problem";
  found: string;
  /** What to do about it. */
  advice?: string;
};

export const ok = (part: string, found: string): Finding => ({ part, state: "ok", found });

export const warning = (part: string, found: string, advice: string): Finding => ({
  part,
  state: "warning",
  found,
  advice,
});

export const problem = (part: string, found: string, advice: string): Finding => ({
  part,
  state: "problem",
  found,
  advice,
});
