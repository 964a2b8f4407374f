import type { Meaning } from "#app/console/ui/status.tsx";

/** How a meaning fills an area: never by colour alone. Solid is done; what failed is dotted with gaps. */
export const fillOf = (meaning: Meaning): string =>
  meaning === "done" || meaning === "informing"
    ? `var(--status-${meaning})`
    : `url(#pattern-${meaning})`;

const SIZE = 6;

/** The patterns that `fillOf` names, for one drawing. */
export function ChartPatterns() {
  return (
    <defs>
      <Pattern meaning="failed">
        <path
          d={`M0 ${SIZE}L${SIZE} 0M-1 1L1 -1M${SIZE - 1} ${SIZE + 1}L${SIZE + 1} ${SIZE - 1}`}
        />
      </Pattern>
      <Pattern meaning="waiting">
        <path d={`M0 ${SIZE / 2}H${SIZE}`} />
      </Pattern>
      <Pattern meaning="none">
        <path d={`M${SIZE / 2} 0V${SIZE}`} />
      </Pattern>
    </defs>
  );
}

function Pattern({ meaning, children }: { meaning: Meaning; children: React.ReactNode }) {
  return (
    <pattern id={`pattern-${meaning}`} width={SIZE} height={SIZE} patternUnits="userSpaceOnUse">
      <rect width={SIZE} height={SIZE} fill={`var(--status-${meaning})`} />
      <g stroke="var(--surface)" strokeWidth={1.2} strokeOpacity={0.75}>
        {children}
      </g>
    </pattern>
  );
}

/** A small area of the same, for words. */
export function Swatch({ meaning }: { meaning: Meaning }) {
  return (
    <svg width={12} height={12} aria-hidden="true" style={{ flex: "none" }}>
      <ChartPatterns />
      <rect width={12} height={12} rx={2} fill={fillOf(meaning)} />
    </svg>
  );
}
