import { Anchor } from "@mantine/core";
import Link from "next/link";
import { useId } from "react";

import { formatCount } from "#app/console/ui/format.ts";
import { type StatusTone, Status } from "#app/console/ui/status.tsx";

import classes from "./usage-meter.module.css";

const NEARLY_USED = 0.8;

function usageShare(used: number, allowed: number | null): number {
  if (allowed === null) return 0;
  return allowed === 0 ? 1 : used / allowed;
}

function usageTone(share: number): StatusTone {
  if (share >= 1) return "failed";
  return share >= NEARLY_USED ? "waiting" : "info";
}

/**
 * @param allowed null for no limit, which hides the bar
 * @param href the list of what is counted
 */
export function UsageMeter({
  name,
  used,
  allowed,
  format = formatCount,
  note,
  href,
}: {
  name: string;
  used: number;
  allowed: number | null;
  format?: (value: number) => string;
  note?: string;
  href?: string | false;
}) {
  const nameId = useId();
  const share = usageShare(used, allowed);
  const tone = usageTone(share);
  return (
    <div>
      <div className={classes.head}>
        <span id={nameId} className={classes.name}>
          {href ? (
            <Anchor component={Link} href={href} inherit>
              {name}
            </Anchor>
          ) : (
            name
          )}
        </span>
        <span className={classes.figures}>
          {allowed === null ? `${format(used)}, no limit` : `${format(used)} of ${format(allowed)}`}
        </span>
      </div>
      {allowed !== null && (
        <div
          className={classes.track}
          role="meter"
          aria-labelledby={nameId}
          aria-valuemin={0}
          aria-valuemax={allowed}
          aria-valuenow={Math.min(used, allowed)}
          aria-valuetext={`${format(used)} of ${format(allowed)}`}
        >
          <div
            className={classes.bar}
            data-tone={tone}
            style={{ width: `${Math.min(100, share * 100)}%` }}
          />
        </div>
      )}
      <div className={classes.note}>
        {tone !== "info" && (
          <Status tone={tone} label={share >= 1 ? "Limit reached" : "Near limit"} />
        )}
        {note && <span>{note}</span>}
      </div>
    </div>
  );
}
