const REMOTE = /(?:\b(?:src|srcset|background|poster)\s*=|url\()\s*["']?\s*(?:https?:)?\/\//i;

/**
 * The document for the preview's frame. The frame's sandbox forbids scripts; the policy in the
 * document forbids loading anything but inline styles, images within the email and, when asked for,
 * remote images; links point to tabs that the sandbox does not open.
 */
export function previewDocument(
  html: string,
  { withRemote }: { withRemote: boolean },
): { html: string; hasRemote: boolean } {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  // They could lead the frame away, or set other rules than ours.
  for (const element of parsed.querySelectorAll("base, meta[http-equiv], iframe, object, embed"))
    element.remove();
  for (const element of parsed.querySelectorAll("a, area, form"))
    element.setAttribute("target", "_blank");
  const images = withRemote ? "data: https: http:" : "data:";
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; form-action 'none'`;
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  parsed.head.insertAdjacentHTML("afterbegin", head);
  return {
    html: `<!doctype html>${parsed.documentElement.outerHTML}`,
    hasRemote: REMOTE.test(html),
  };
}
