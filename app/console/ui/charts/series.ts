import type { StatusTone } from "#app/console/ui/status.tsx";

/** What is counted, from the axis upwards. Its meaning gives the colour and the pattern. */
export type Series = { name: string; label: string; tone: StatusTone }[];

/** A place on the axis, and what is counted there by name. */
export type Point = {
  /** Says which it is; no two have the same. */
  label: string;
  /** As the axis says it, in little room. */
  tick: string;
  values: Record<string, number>;
};
