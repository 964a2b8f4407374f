import type { SetUp } from "#app/account/queries.ts";

import classes from "./qr-code.module.css";

/** Modules of empty space around a code (ISO/IEC 18004): readers look for it. */
const MARGIN = 4;

/** Dark on light in both themes: many cameras read no other. */
export function QrCode({ qr: { size, path }, url }: { qr: SetUp["qr"]; url: string }) {
  const side = size + 2 * MARGIN;
  return (
    <a href={url} className={classes.frame}>
      <svg
        role="img"
        aria-label="QR code that leads a phone to this page"
        viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
        shapeRendering="crispEdges"
        className={classes.code}
      >
        <path d={path} fill="#000" />
      </svg>
    </a>
  );
}
