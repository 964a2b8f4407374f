import { hash } from "node:crypto";

/** A body part: header fields with CRLFs, and octets without a trailing CRLF. */
export type Part = { fields: string; body: Buffer[] };

const CRLF = Buffer.from("\r\n");
const latin1 = (text: string) => Buffer.from(text, "latin1");

/**
 * Combines parts (RFC 2046 section 5.1): `alternative` plainest first, `related` root first, `mixed` text
 * before files. A single part is returned as it is.
 *
 * @param seed determines the boundary, so that the same message always has the same bytes
 */
export function multipart(
  subtype: "alternative" | "related" | "mixed",
  parts: Part[],
  seed: string,
): Part {
  if (parts.length === 1) return parts[0]!;
  const boundary = boundaryFor(`${subtype} ${seed}`, parts);
  // RFC 2387 section 3.1 requires the type of the root part.
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

/** Derived from the seed; retried if a part contains it. */
function boundaryFor(seed: string, parts: Part[]): string {
  for (let attempt = 0; ; attempt++) {
    const boundary = `=_${hash("sha256", `${seed} ${attempt}`).slice(0, 32)}`;
    if (!parts.some(({ body }) => body.some((octets) => octets.includes(boundary))))
      return boundary;
  }
}

const typeOf = ({ fields }: Part) => /^Content-Type: ([^;\r]+)/.exec(fields)?.[1] ?? "text/plain";
