import { Tokenizer } from "htmlparser2";

import { type Link, LinkReader } from "./internal/link-reader.ts";
import { signClick, signOpen } from "./tracking-token.ts";

/**
 * The longest tracked URL in octets: its token then fits the 8,000 octets that RFC 9110 section 4.1
 * recommends to support.
 */
const URL_OCTETS_MAX = 5_800;

const LINE_BREAKS = /[\t\n\r]/g;

const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** Bounds the growth of a message: further links aren't tracked. */
const LINKS_MAX = 5_000;

export type Tracking = {
  emailId: string;
  /** Without trailing slash. */
  baseUrl: string;
  opens: boolean;
  clicks: boolean;
  /** The List-Unsubscribe header: its links aren't tracked. */
  listUnsubscribe?: string | undefined;
};

/** Replaces the text from `start` to `end`. */
type Edit = { start: number; end: number; text: string };

/**
 * Rewrites links to `{baseUrl}/t/c/…` and adds the tracking image at the end of the body. Everything else
 * stays byte for byte; an empty document stays empty. Accepts any input in linear time and memory.
 *
 * Only an absolute http or https URL in the `href` of an `a` or `area` is rewritten. Exceptions:
 * - unsubscribe links, listed in List-Unsubscribe or with `unsubscribe` in the URL: they must work in one
 *   step, untracked, and for longer than tracked links;
 * - elements with the attribute `data-no-track`;
 * - links in comments, including conditional ones: a mistake in markup for one mail program would break its
 *   layout;
 * - links that are already tracked.
 */
export function trackHtml(html: string, tracking: Tracking): string {
  // With an image it would no longer be empty, and would hide the text part.
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
  const wayOut = new Set(
    Array.from(listUnsubscribe.matchAll(/<([^<>]*)>/g), ([, url]) => URL.parse(url!)?.href),
  );
  const trackedAlready = `${baseUrl}/t/`;
  const edits: Edit[] = [];
  for (const { start, end, href } of links) {
    if (edits.length === LINKS_MAX) break;
    const url = trackableUrl(href);
    if (url === null || /unsubscribe/i.test(url)) continue;
    if (wayOut.size > 0 && wayOut.has(URL.parse(url)?.href)) continue;
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
 * The URL of a link that can be tracked: absolute http or https. Strips surrounding spaces and line breaks
 * like the URL standard. Null for anything else.
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

/** Not `trim`, which strips more than the URL standard. */
function withoutSpaceAround(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === " ") start++;
  while (end > start && text[end - 1] === " ") end--;
  return text.slice(start, end);
}
