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
