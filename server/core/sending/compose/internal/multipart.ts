import { hash } from "node:crypto";

/** A body part: its header fields, each with its CRLF, and its octets, without a CRLF at the end. */
export type Part = { fields: string; body: Buffer[] };

const CRLF = Buffer.from("\r\n");
const latin1 = (text: string) => Buffer.from(text, "latin1");

/**
 * Parts under one roof (RFC 2046 section 5.1): `alternative` from the plainest to the richest,
 * `related` with the one that is shown first, `mixed` with the text before the files. One part needs
 * no roof.
 *
 * @param seed makes the boundary, so that the same message is always the same bytes
 */
export function multipart(
  subtype: "alternative" | "related" | "mixed",
  parts: Part[],
  seed: string,
): Part {
  if (parts.length === 1) return parts[0]!;
  const boundary = boundaryFor(`${subtype} ${seed}`, parts);
  // RFC 2387 section 3.1 wants to know the type of the first part in advance.
  const type = subtype === "related" ? `\r\n type="${typeOf(parts[0]!)}";` : "";
  return {
    fields: `Content-Type: multipart/${subtype};${type}\r\n boundary="${boundary}"\r\n`,
    body: [
      ...parts.flatMap(({ fields, body }) => [
        latin1(`--${boundary}\r\n${fields}\r\n`),
        ...body,
        CRLF,
      ]),
      latin1(`--${boundary}--`),
    ],
  };
}

/** Made from the seed; another one in the case that a part contains it. */
function boundaryFor(seed: string, parts: Part[]): string {
  for (let attempt = 0; ; attempt++) {
    const boundary = `=_${hash("sha256", `${seed} ${attempt}`).slice(0, 32)}`;
    if (!parts.some(({ body }) => body.some((octets) => octets.includes(boundary))))
      return boundary;
  }
}

const typeOf = ({ fields }: Part) => /^Content-Type: ([^;\r]+)/.exec(fields)?.[1] ?? "text/plain";
