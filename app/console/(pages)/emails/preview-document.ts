const INLINE = /^cid:/i;
const REMOTE = /^(?:https?:)?\/\//i;

/** Whatever could run, navigate the frame or load something that isn't an image. */
const REMOVED =
  "base, meta[http-equiv], title, iframe, frame, object, embed, script, link, audio, video, source, svg image, svg use";

/** Stands in for a missing image: a gray box that takes the size the email gives it. */
const NO_IMAGE = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" preserveAspectRatio="xMidYMid slice"><rect width="120" height="40" fill="#e7e7eb"/></svg>',
)}`;

type Images = Record<string, string>;

/** Undoes the frame's inversion for images. */
const NOT_INVERTED = "img, svg, [background] { filter: hue-rotate(180deg) invert(1); }";

/** Whether an email has a style of its own for dark mode. */
export const hasDarkStyle = (html: string): boolean => /color-scheme/i.test(html);

/**
 * Prepares an email's HTML for the preview frame, whose content security policy blocks scripts and everything remote
 * (`ui/email-frame.tsx`). What that would block is removed first, because browsers report it as an error. Links
 * point to new tabs, which the sandbox blocks. Images are inserted (RFC 2392), and missing ones replaced.
 *
 * @param options.inline data URLs by content ID
 * @param options.remote data URLs by URL
 */
export function previewDocument(
  html: string,
  {
    inline,
    remote,
    scheme,
  }: { inline: Images; remote: Images; scheme: "light" | "dark" | "inverted" },
): string {
  const body = parseInert(html);
  for (const element of [body, ...body.querySelectorAll("*")]) removeHandlers(element);
  for (const element of body.querySelectorAll("a, area, form"))
    element.setAttribute("target", "_blank");
  for (const image of body.querySelectorAll("img")) {
    const source = sourceOf(image);
    if (INLINE.test(source)) image.setAttribute("src", inline[contentIdOf(source)] ?? NO_IMAGE);
  }
  mapRemoteImages(body, (url) => remote[url] ?? NO_IMAGE);
  chooseScheme(body, scheme === "dark" ? "dark" : "light");
  if (scheme === "inverted") {
    const style = document.createElement("style");
    style.textContent = NOT_INVERTED;
    body.append(style);
  }
  return body.outerHTML.replace(/^<div/, "<body").replace(/<\/div>$/, "</body>");
}

/** The URLs of the images that the HTML loads from other servers, once each. */
export function remoteImageUrls(html: string): string[] {
  const urls = new Set<string>();
  mapRemoteImages(parseInert(html), (url) => {
    urls.add(url);
    return url;
  });
  return [...urls];
}

/** The content IDs that the HTML's images refer to. */
export function inlineContentIds(html: string): Set<string> {
  const sources = [...parseInert(html).querySelectorAll("img")].map(sourceOf);
  return new Set(sources.filter((source) => INLINE.test(source)).map(contentIdOf));
}

/**
 * Parses HTML into a template, where nothing runs or loads.
 *
 * @returns the body as a `div`, without elements that aren't shown
 */
function parseInert(html: string): Element {
  const template = document.createElement("template");
  // Templates ignore the body's tag, but not its attributes, such as a background.
  template.innerHTML = renameHandlers(`<div${bodyAttributes(html)}></div>`);
  const body = template.content.firstElementChild!;
  const content = document.createElement("template");
  content.innerHTML = renameHandlers(html);
  body.append(content.content);
  for (const element of body.querySelectorAll(REMOVED)) element.remove();
  return body;
}

/** Event handlers, and links that run scripts. */
function removeHandlers(element: Element): void {
  for (const { name, value } of [...element.attributes])
    if (/^on/i.test(name) || /^\s*javascript:/i.test(value)) element.removeAttribute(name);
}

function mapRemoteImages(body: Element, map: (url: string) => string): void {
  const mapped = (url: string) => {
    const trimmed = url.trim();
    if (!REMOTE.test(trimmed)) return url;
    return map(trimmed.startsWith("//") ? `https:${trimmed}` : trimmed);
  };
  const inStyle = (css: string) => mapStyleUrls(css, mapped);
  const change = (name: string, to: (value: string) => string) => {
    for (const element of [body, ...body.querySelectorAll(`[${name}]`)]) {
      const value = element.getAttribute(name);
      if (value !== null) element.setAttribute(name, to(value));
    }
  };
  change("src", mapped);
  change("background", mapped);
  change("style", inStyle);
  // The same images in other sizes.
  for (const element of body.querySelectorAll("[srcset]")) element.removeAttribute("srcset");
  for (const element of body.querySelectorAll("style"))
    element.textContent = inStyle(element.textContent);
}

/** Makes `prefers-color-scheme` match the chosen scheme instead of the browser's. */
function chooseScheme(body: Element, scheme: "light" | "dark"): void {
  for (const style of body.querySelectorAll("style"))
    style.textContent = fixColorScheme(style.textContent, scheme);
  for (const element of body.querySelectorAll("[media]"))
    element.setAttribute("media", fixColorScheme(element.getAttribute("media")!, scheme));
}

const sourceOf = (image: HTMLImageElement) => (image.getAttribute("src") ?? "").trim();

function contentIdOf(source: string): string {
  const id = source.replace(INLINE, "");
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Tags with their attributes, whose quoted values may contain `>`. */
const TAG = /<[a-z](?:"[^"]*"|'[^']*'|[^"'<>])*>/gi;

/** Quoted values, to skip them, and names of event handlers. */
const HANDLER = /("[^"]*"|'[^']*')|\bon[a-z]+(?=\s*=)/gi;

/**
 * Renames event handlers, because Chromium reports those that the page's policy blocks as soon as it parses them, even in a
 * template. Misses some in malformed HTML.
 */
export const renameHandlers = (html: string): string =>
  html.replace(TAG, (tag) =>
    tag.replace(HANDLER, (_, quoted?: string) => quoted ?? "data-removed"),
  );

/** The attributes of the `<body>`, as they are written; "" if there are none. */
export const bodyAttributes = (html: string): string => /<body\b([^<>]*)>/i.exec(html)?.[1] ?? "";

/** What a style would load that isn't an image. */
const LOADS = /@import[^;]*;?|@font-face\s*\{[^}]*\}?/gi;

/** `url(…)`. Without quotes it contains no spaces and parentheses. */
const URL_FUNCTION = /url\(\s*("[^"]*"|'[^']*'|[^"'()\s]+)\s*\)/gi;

/** Changes the URLs of a style's images, and removes other URLs that it would load. */
export const mapStyleUrls = (css: string, map: (url: string) => string): string =>
  css.replaceAll(LOADS, "").replaceAll(URL_FUNCTION, (_, written: string) => {
    const quote = /^["']/.exec(written)?.[0] ?? "";
    return `url(${quote}${map(quote ? written.slice(1, -1) : written)}${quote})`;
  });

const COLOR_SCHEME = /\(\s*prefers-color-scheme\s*:\s*(\w+)\s*\)/gi;

/** Replaces conditions on the reader's color scheme by their result for `scheme`. */
export const fixColorScheme = (css: string, scheme: "light" | "dark"): string =>
  css.replaceAll(COLOR_SCHEME, (_, wanted: string) =>
    wanted.toLowerCase() === scheme ? "(min-width: 0px)" : "(max-width: 0px)",
  );
