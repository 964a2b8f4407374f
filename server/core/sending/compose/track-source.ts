import {
  editParts,
  findField,
  mediaType,
  parameter,
  type Part,
  withFields,
} from "#server/core/shared/mime/edit-parts.ts";
import { decodedBody } from "#server/core/shared/mime/transfer-encoding.ts";
import { type Tracking, trackHtml } from "#server/core/sending/tracking/rewrite-html.ts";

import { encodeBody } from "./internal/encode-body.ts";

/** The API's limit for HTML. Larger parts aren't tracked. */
const HTML_OCTETS_MAX = 2_000_000;

/**
 * Adds tracking to the links in a message's HTML parts. Leaves alone attached HTML files, enclosed
 * messages, signed or encrypted parts, and HTML in an unsupported charset.
 */
export function trackSource(source: Buffer, tracking: Omit<Tracking, "listUnsubscribe">): Buffer {
  const listUnsubscribe = findField({ header: source, body: source }, "list-unsubscribe");
  return editParts(source, (part) => trackPart(part, { ...tracking, listUnsubscribe }));
}

function trackPart(part: Part, tracking: Tracking): Part {
  if (mediaType(part) !== "text/html" || part.body.length > HTML_OCTETS_MAX) return part;
  if (/^\s*attachment\b/i.test(findField(part, "content-disposition"))) return part;
  const html = readText(part);
  const tracked = html === null ? null : trackHtml(html, tracking);
  if (tracked === null || tracked === html) return part;
  const { encoding, bytes } = encodeBody(tracked);
  return {
    header: withFields(part.header, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Transfer-Encoding": encoding,
    }),
    body: bytes,
  };
}

function readText(part: Part): string | null {
  const body = decodedBody(part);
  try {
    const decoder = new TextDecoder(parameter(part, "charset") ?? "utf-8", { fatal: true });
    return body && decoder.decode(body);
  } catch {
    return null;
  }
}
