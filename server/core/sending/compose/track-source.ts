import {
  editParts,
  findField,
  mediaType,
  parameter,
  type Part,
  withFields,
  withParameter,
} from "#server/core/shared/mime/edit-parts.ts";
import { decodedBody } from "#server/core/shared/mime/transfer-encoding.ts";
import { type Tracking, trackHtml } from "#server/core/sending/tracking/rewrite-html.ts";

import { encodeBody } from "./compose-message.ts";

/** The API's limit for HTML. Larger parts aren't tracked. */
const HTML_OCTETS_MAX = 2_000_000;

/**
 * Adds tracking to the HTML of a message's body: to the links of all its parts, and the image to the first. Leaves alone HTML
 * files, enclosed messages, signed or encrypted parts, and HTML in an unsupported charset.
 */
export function trackSource(source: Buffer, tracking: Omit<Tracking, "listUnsubscribe">): Buffer {
  const field = findField({ header: source, body: source }, "list-unsubscribe");
  const listUnsubscribe = Buffer.from(field, "latin1").toString();
  let opens = tracking.opens;
  return editParts(source, (part, { depth }) => {
    if (isFile(part, depth)) return part;
    const tracked = trackPart(part, { ...tracking, opens, listUnsubscribe });
    if (tracked !== part) opens = false;
    return tracked;
  });
}

/** Whether a part is a file, and not a part of the body. Mail programs show named parts as files. */
function isFile(part: Part, depth: number): boolean {
  const disposition = findField(part, "content-disposition");
  if (/^\s*attachment\b/i.test(disposition)) return true;
  return (
    depth > 0 && (/;\s*filename\b/i.test(disposition) || NAME.test(findField(part, "content-type")))
  );
}

const NAME = /;\s*name\b/i;

function trackPart(part: Part, tracking: Tracking): Part {
  if (mediaType(part) !== "text/html" || part.body.length > HTML_OCTETS_MAX) return part;
  const html = readText(part);
  const tracked = html === null ? null : trackHtml(html, tracking);
  if (tracked === null || tracked === html) return part;
  const { encoding, bytes } = encodeBody(tracked);
  return {
    header: withFields(part.header, {
      "Content-Type": withParameter(part, "charset", "utf-8"),
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
