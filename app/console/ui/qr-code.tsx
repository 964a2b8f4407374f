import classes from "./qr-code.module.css";

/** Quiet zone in modules (ISO/IEC 18004). */
const MARGIN = 4;

/**
 * Dark on light in both themes: many cameras read no other.
 *
 * @param url the encoded URL, which the code also links to for readers on a phone
 */
export function QrCode({
  qr: { size, path },
  url,
  label = "QR code with a link to this page",
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
