import type { StatusTone } from "#app/console/ui/status.tsx";

/** Series from the axis upwards. The tone sets color and pattern. */
export type Series = { name: string; label: string; tone: StatusTone }[];

export type Point = {
  /** Unique. */
  label: string;
  /** Short label for the axis. */
  tick: string;
  values: Record<string, number>;
};
