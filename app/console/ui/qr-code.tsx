import classes from "./qr-code.module.css";

/** Modules of empty space around a code (ISO/IEC 18004): readers look for it. */
const MARGIN = 4;

/**
 * Dark on light in both themes: many cameras read no other.
 *
 * @param url what the code says, for who is on the phone already
 * @param label what the code is for
 */
export function QrCode({
  qr: { size, path },
  url,
  label = "QR code that leads a phone to this page",
}: {
  qr: { size: number; path: string };
  url: string;
  label?: string;
}) {
  const side = size + 2 * MARGIN;
  return (
    <a href={url} className={classes.frame}>
      <svg
        role="img"
        aria-label={label}
        viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
        shapeRendering="crispEdges"
        className={classes.code}
      >
        <path d={path} fill="#000" />
      </svg>
    </a>
  );
}
