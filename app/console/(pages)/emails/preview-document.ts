const REMOTE = /(?:\b(?:src|srcset|background|poster)\s*=|url\()\s*["']?\s*(?:https?:)?\/\//i;

/**
 * The document for the preview's frame, whose policy forbids scripts and everything remote
 * (`ui/email-frame.tsx`). Links point to tabs that it does not open; what could lead the frame away is
 * taken out.
 */
export function previewDocument(html: string): { html: string; hasRemote: boolean } {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const element of parsed.querySelectorAll("base, meta[http-equiv], iframe, object, embed"))
    element.remove();
  for (const element of parsed.querySelectorAll("a, area, form"))
    element.setAttribute("target", "_blank");
  return { html: parsed.documentElement.outerHTML, hasRemote: REMOTE.test(html) };
}
