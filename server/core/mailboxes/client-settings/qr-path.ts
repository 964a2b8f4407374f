import qrcode from "qrcode";

/** A QR code to draw: a square of so many modules, and the dark ones as an SVG path. */
export type QrPath = { size: number; path: string };

/** The QR code of a text, at most 2,000 characters of ASCII. */
export function qrPath(text: string): QrPath {
  const { size, data } = qrcode.create(text, { errorCorrectionLevel: "M" }).modules;
  const rows = Array.from({ length: size }, (_, y) => {
    const row = Array.from(data.slice(y * size, (y + 1) * size), (dark) => (dark ? "1" : "0"));
    return [...row.join("").matchAll(/1+/g)].map(
      ({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`,
    );
  });
  return { size, path: rows.flat().join("") };
}
