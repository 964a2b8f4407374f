import { Tokenizer } from "htmlparser2";

import { type Link, LinkReader } from "./internal/link-reader.ts";
import { signClick, signOpen } from "./tracking-token.ts";

/**
 * The longest URL that is tracked, in octets: its token then fits the 8,000 octets of a URI that
 * RFC 9110 section 4.1 asks every server and proxy to take.
 */
const URL_OCTETS_MAX = 5_800;

const LINE_BREAKS = /[\t\n\r]/g;

const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** A message must not grow without bound: the links after these stay as they are. */
const LINKS_MAX = 5_000;

/** What is tracked in an email, and where its links lead. */
export type Tracking = {
  emailId: string;
  /** Without trailing slash. */
  baseUrl: string;
  opens: boolean;
  clicks: boolean;
  /** The email's List-Unsubscribe header: the links in it are left alone. */
  listUnsubscribe?: string | undefined;
};

/** In place of what stands from `start` to `end`. */
type Edit = { start: number; end: number; text: string };

/**
 * The HTML of an email with its links leading through `{baseUrl}/t/c/…` and the tracking image at the
 * end of its body. Everything else stays byte for byte, and a document that is empty stays so. Any input
 * gives a document; time and memory grow with its length only.
 *
 * A link is the `href` of an `a` or `area` that is an absolute http or https URL. These stay as they
 * are:
 * - links to unsubscribe, known by the email's List-Unsubscribe header or by `unsubscribe` in the URL:
 *   a way out must work in one step, unwatched, and for longer than tracked links do;
 * - links of an element with the attribute `data-no-track`;
 * - links inside comments, also conditional ones: what only one mail program reads is in a dialect of
 *   its own, where a mistake costs the reader the whole layout;
 * - links that are tracked already.
 */
export function trackHtml(html: string, tracking: Tracking): string {
  // With an image it would no longer be empty, and hide the text part.
  if (html.trim() === "") return html;
  const document = `${html}<x>`;
  const reader = new LinkReader(document, html.length);
  const tokenizer = new Tokenizer({}, reader);
  tokenizer.write(document);
  tokenizer.end();

  const edits = tracking.clicks ? linkEdits(reader.links, tracking) : [];
  if (tracking.opens) edits.push(pixelEdit(reader.endOfBody, tracking));
  return apply(edits, html);
}

function linkEdits(links: Link[], { emailId, baseUrl, listUnsubscribe = "" }: Tracking): Edit[] {
  const wayOut = new Set(Array.from(listUnsubscribe.matchAll(/<([^<>]*)>/g), ([, url]) => url));
  const trackedAlready = `${baseUrl}/t/`;
  const edits: Edit[] = [];
  for (const { start, end, href } of links) {
    if (edits.length === LINKS_MAX) break;
    const url = trackableUrl(href);
    if (url === null || /unsubscribe/i.test(url) || wayOut.has(url)) continue;
    if (url.startsWith(trackedAlready)) continue;
    edits.push({ start, end, text: `${baseUrl}/t/c/${signClick({ emailId, url })}` });
  }
  return edits;
}

function pixelEdit(at: number, { emailId, baseUrl }: Tracking): Edit {
  const src = `${baseUrl}/t/o/${signOpen(emailId)}`;
  const text = `<img src="${src}" width="1" height="1" alt="" style="display:block;border:0">`;
  return { start: at, end: at, text };
}

function apply(edits: Edit[], html: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    pieces.push(html.slice(done, start), text);
    done = end;
  }
  return pieces.join("") + html.slice(done);
}

/**
 * Where a link leads, when it can be tracked: an absolute http or https URL. As the URL standard reads
 * it, white space around it and line breaks in it do not count; the rest is kept as written. Null for
 * anything else.
 *
 * @param href the attribute's value, entities decoded
 */
function trackableUrl(href: string): string | null {
  const url = withoutSpaceAround(href.replace(LINE_BREAKS, ""));
  const isTrackable =
    /^https?:\/\//i.test(url) &&
    Buffer.byteLength(url) <= URL_OCTETS_MAX &&
    !CONTROLS.test(url) &&
    url.isWellFormed() &&
    URL.canParse(url);
  return isTrackable ? url : null;
}

/** Spaces only: `trim` would take what the URL standard keeps. */
function withoutSpaceAround(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === " ") start++;
  while (end > start && text[end - 1] === " ") end--;
  return text.slice(start, end);
}
