const REMOTE = /(?:\b(?:src|srcset|background|poster)\s*=|url\()\s*["']?\s*(?:https?:)?\/\//i;
const INLINE = /^cid:/i;

/** In place of an image that is not there: calm, and as large as the email says. */
const NO_IMAGE = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" preserveAspectRatio="xMidYMid slice"><rect width="120" height="40" fill="#e7e7eb"/></svg>',
)}`;

/**
 * The document for the preview's frame, whose policy forbids scripts and everything remote
 * (`ui/email-frame.tsx`). Links point to tabs that it does not open; what could lead the frame away is
 * taken out. Images that the email brings along (RFC 2392) are put in.
 *
 * @param images by content id, as data URLs
 */
export function previewDocument(
  html: string,
  images: Record<string, string>,
): { html: string; hasRemote: boolean } {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const element of parsed.querySelectorAll("base, meta[http-equiv], iframe, object, embed"))
    element.remove();
  for (const element of parsed.querySelectorAll("a, area, form"))
    element.setAttribute("target", "_blank");
  for (const image of inlineImages(parsed))
    image.setAttribute("src", images[contentIdOf(image)] ?? NO_IMAGE);
  return { html: parsed.documentElement.outerHTML, hasRemote: REMOTE.test(html) };
}

/** The content ids of the images that an email's HTML shows of its own. */
export function shownContentIds(html: string): Set<string> {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  return new Set(inlineImages(parsed).map(contentIdOf));
}

const inlineImages = (parsed: Document): HTMLImageElement[] =>
  [...parsed.querySelectorAll("img")].filter((image) => INLINE.test(sourceOf(image)));

const sourceOf = (image: HTMLImageElement) => (image.getAttribute("src") ?? "").trim();

function contentIdOf(image: HTMLImageElement): string {
  const given = sourceOf(image).replace(INLINE, "");
  try {
    return decodeURIComponent(given);
  } catch {
    return given;
  }
}
