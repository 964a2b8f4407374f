const REMOTE = /(?:\b(?:src|srcset|background|poster)\s*=|url\()\s*["']?\s*(?:https?:)?\/\//i;
const INLINE = /^cid:/i;

/** Stands in for a missing inline image: a gray box that takes the size the email gives it. */
const NO_IMAGE = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" preserveAspectRatio="xMidYMid slice"><rect width="120" height="40" fill="#e7e7eb"/></svg>',
)}`;

/**
 * Prepares an email's HTML for the preview frame, whose content security policy blocks scripts and remote
 * content (`ui/email-frame.tsx`). Removes everything that could navigate the frame, points links to new
 * tabs, which the sandbox blocks, and inserts inline images (RFC 2392).
 *
 * @param images data URLs by content ID
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

/** The content IDs that the HTML's images refer to. */
export function inlineContentIds(html: string): Set<string> {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  return new Set(inlineImages(parsed).map(contentIdOf));
}

const inlineImages = (parsed: Document): HTMLImageElement[] =>
  [...parsed.querySelectorAll("img")].filter((image) => INLINE.test(sourceOf(image)));

const sourceOf = (image: HTMLImageElement) => (image.getAttribute("src") ?? "").trim();

function contentIdOf(image: HTMLImageElement): string {
  const id = sourceOf(image).replace(INLINE, "");
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
