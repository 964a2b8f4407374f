/** What a notice says: each paragraph plain text, and at its end the page where one acts on it. */
export type NoticeText = {
  subject: string;
  paragraphs: string[];
  link: { label: string; url: string };
  /** Why this person gets it. */
  footer: string;
};

/** The footer of what all owners are told. */
export const TO_OWNERS =
  "You get this email because you are an owner of the company on this Posthouse appliance.";

const format = new Intl.DateTimeFormat("en-GB", {
  ...({ day: "numeric", month: "long", year: "numeric" } as const),
  ...({ hour: "2-digit", minute: "2-digit", timeZone: "UTC" } as const),
});

/** A moment in words: `4 March 2026 at 10:15 UTC`. */
export const inUtc = (moment: string) => `${format.format(new Date(moment))} UTC`;
