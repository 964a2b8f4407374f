/**
 * The page's language with the conventions of the reader's region: the order of day and month, a 12- or 24-hour clock, and
 * the separators of numbers. Words such as month names stay in the page's language, because dates are part of its sentences.
 */
export function localeIn(language: string, readerLocale: string): Intl.Locale {
  const reader = new Intl.Locale(readerLocale).maximize();
  const isSame = reader.language === language || language === "en";
  const region = isSame ? reader.region : undefined;
  const clock = new Intl.DateTimeFormat(isSame ? readerLocale : language, { hour: "numeric" });
  const { hourCycle } = clock.resolvedOptions();
  return new Intl.Locale(language, {
    ...(region && { region }),
    ...(hourCycle && { hourCycle }),
  });
}

/** Nothing is formatted on the server: pages get their data in the browser. */
const pageLanguage = typeof document === "undefined" ? "en" : document.documentElement.lang || "en";

export const readerLocale = localeIn(
  pageLanguage,
  new Intl.DateTimeFormat().resolvedOptions().locale,
);
