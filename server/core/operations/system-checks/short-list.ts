type Shape = { separator?: ", " | "; "; max?: number };

/** The first items, and how many there are besides: "a, b, c and 2 more". */
export function shortList(items: string[], { separator = ", ", max = 3 }: Shape = {}): string {
  const shown = items.slice(0, max).join(separator);
  const rest = items.length - max;
  if (rest <= 0) return shown;
  return `${shown}${separator === "; " ? ";" : ""} and ${rest} more`;
}
