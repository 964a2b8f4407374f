import qrcode from "qrcode";

/** A QR code to draw: its size in modules, and the dark modules as an SVG path. */
export type QrPath = { size: number; path: string };

/** Creates the QR code of an ASCII text of at most 2,000 characters. */
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
