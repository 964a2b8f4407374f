/** A header field as it appears in the message, including folded line ends but not the last one. */
export type Field = { name: string; raw: string };

/** Splits a header into its fields, in order. The header is latin1, which preserves every byte. */
export function parseFields(header: string): Field[] {
  const fields: Field[] = [];
  for (const line of header.split("\r\n")) {
    const last = fields.at(-1);
    if (last && /^[ \t]/.test(line)) last.raw += `\r\n${line}`;
    else if (line) fields.push({ name: parseName(line), raw: line });
  }
  return fields;
}

/** A field in relaxed canonical form, without line end (RFC 6376 section 3.4.2). */
export function relaxedField({ name, raw }: Field): string {
  const value = raw
    .slice(raw.indexOf(":") + 1)
    .replaceAll("\r\n", "")
    .replace(/[ \t]+/g, " ");
  const start = value.startsWith(" ") ? 1 : 0;
  const end = value.length - (value.endsWith(" ") ? 1 : 0);
  return `${name}:${value.slice(start, Math.max(start, end))}`;
}

function parseName(line: string): string {
  const colon = line.indexOf(":");
  return line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
}
