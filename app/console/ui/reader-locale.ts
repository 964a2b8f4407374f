/**
 * English with the conventions of the reader's region: the order of day and month, a 12- or 24-hour clock, and
 * the separators of numbers. Month names stay English, because dates stand in English sentences.
 */
export function englishLocale(readerLocale: string): Intl.Locale {
  const { region } = new Intl.Locale(readerLocale).maximize();
  const clock = new Intl.DateTimeFormat(readerLocale, { hour: "numeric" });
  const { hourCycle } = clock.resolvedOptions();
  return new Intl.Locale("en", { ...(region && { region }), ...(hourCycle && { hourCycle }) });
}

export const readerLocale = englishLocale(new Intl.DateTimeFormat().resolvedOptions().locale);
