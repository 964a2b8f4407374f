const SIZE_PX = 12;

let context: CanvasRenderingContext2D | null = null;

/** Width in pixels of the widest text on an axis, in the reader's font. */
export function maxTextWidth(texts: string[]): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return 0;
  context.font = `${SIZE_PX}px ${getComputedStyle(document.body).fontFamily}`;
  const widths = texts.map((text) => context!.measureText(text).width);
  return Math.ceil(Math.max(0, ...widths));
}
