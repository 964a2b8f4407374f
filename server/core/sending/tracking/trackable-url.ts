/**
 * The longest URL that is tracked, in octets: its token then fits the 8,000 octets of a URI that
 * RFC 9110 section 4.1 asks every server and proxy to take.
 */
const URL_OCTETS_MAX = 5_800;

const LINE_BREAKS = /[\t\n\r]/g;
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/**
 * Where a link leads, when it can be tracked: an absolute http or https URL. As the URL standard reads
 * it, white space around it and line breaks in it do not count; the rest is kept as written. Null for
 * anything else.
 *
 * @param href the attribute's value, entities decoded
 */
export function trackableUrl(href: string): string | null {
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
