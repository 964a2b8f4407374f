import { type ReactNode, useId } from "react";

import type { Meaning } from "#app/console/ui/status.tsx";

const SIZE = 6;

/** What lies over the colour: never by colour alone. Solid is done or told; what failed is hatched. */
const marks: Partial<Record<Meaning, string>> = {
  failed: `M0 ${SIZE}L${SIZE} 0M-1 1L1 -1M${SIZE - 1} ${SIZE + 1}L${SIZE + 1} ${SIZE - 1}`,
  waiting: `M0 ${SIZE / 2}H${SIZE}`,
  none: `M${SIZE / 2} 0V${SIZE}`,
};

// The keys of marks are its own.
const MARKED = Object.keys(marks) as Meaning[];

/** The patterns of one drawing, and how a meaning fills an area of it. */
export function usePatterns(): { patterns: ReactNode; fillOf: (meaning: Meaning) => string } {
  const id = useId();
  return {
    patterns: (
      <defs>
        {MARKED.map((meaning) => (
          <Pattern key={meaning} id={`${id}-${meaning}`} meaning={meaning} />
        ))}
      </defs>
    ),
    fillOf: (meaning) =>
      marks[meaning] === undefined ? `var(--status-${meaning})` : `url(#${id}-${meaning})`,
  };
}

function Pattern({ id, meaning }: { id: string; meaning: Meaning }) {
  return (
    <pattern id={id} width={SIZE} height={SIZE} patternUnits="userSpaceOnUse">
      <rect width={SIZE} height={SIZE} fill={`var(--status-${meaning})`} />
      <path d={marks[meaning]} stroke="var(--surface)" strokeWidth={1.2} strokeOpacity={0.75} />
    </pattern>
  );
}

/** A small area of the same, for words. */
export function Swatch({ meaning }: { meaning: Meaning }) {
  const { patterns, fillOf } = usePatterns();
  return (
    <svg width={12} height={12} aria-hidden="true" style={{ flex: "none" }}>
      {patterns}
      <rect width={12} height={12} rx={2} fill={fillOf(meaning)} />
    </svg>
  );
}
